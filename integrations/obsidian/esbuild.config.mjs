// Bundles the plugin into main.js, which Obsidian loads as a CommonJS module.

import { builtinModules } from "node:module";

import { build } from "esbuild";

await build({
	entryPoints: ["src/main.ts"],
	outfile: "main.js",
	bundle: true,
	format: "cjs",
	platform: "node",
	target: "es2022",
	external: ["obsidian", "electron", ...builtinModules],
	logLevel: "warning",
});
