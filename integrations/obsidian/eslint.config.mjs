// The rules of TypeScript ESLint, and those by which plugins for Obsidian are reviewed.

import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";
import tseslint from "typescript-eslint";

export default defineConfig([
	globalIgnores(["main.js", "node_modules/", "package-lock.json"]),
	...obsidianmd.configs.recommended,
	{
		files: ["**/*.ts"],
		extends: [tseslint.configs.strictTypeChecked],
		languageOptions: { parserOptions: { projectService: true } },
	},
	{
		files: ["**/*.mjs"],
		extends: [tseslint.configs.disableTypeChecked],
		languageOptions: { globals: { process: "readonly" } },
	},
	{
		// Declared settings need Obsidian 1.13, and the manifest asks for less.
		files: ["src/settings.ts"],
		rules: { "obsidianmd/settings-tab/prefer-setting-definitions": "off" },
	},
	{
		// Run by Node.js alone, outside of Obsidian.
		files: ["tests/**/*.ts", "*.mjs", "*.config.ts"],
		rules: {
			"import/no-nodejs-modules": "off",
			"obsidianmd/no-nodejs-modules": "off",
			"obsidianmd/no-global-this": "off",
			"obsidianmd/prefer-create-el": "off",
			"obsidianmd/prefer-active-doc": "off",
			"obsidianmd/prefer-window-timers": "off",
		},
	},
]);
