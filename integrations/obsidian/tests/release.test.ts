// @vitest-environment jsdom
/** The files that belong to a release agree, and stored settings of any shape are read. */

import { expect, it } from "vitest";

import manifest from "../manifest.json";
import packed from "../package.json";
import { settingsFrom } from "../src/settings";
import versions from "../versions.json";

it("has one version, and says which Obsidian it needs", () => {
	expect(packed.version).toBe(manifest.version);
	expect(versions).toHaveProperty([manifest.version], manifest.minAppVersion);
	expect(manifest.isDesktopOnly).toBe(true);
});

it.each([null, undefined, 7, [], "x", {}, { socket: 1, withPrivate: "yes" }])(
	"reads %j as the default settings",
	(stored) => {
		expect(settingsFrom(stored)).toEqual({ socket: "", withPrivate: false });
	},
);

it("reads what it stored", () => {
	const settings = { socket: "/s.sock", withPrivate: true };
	expect(settingsFrom(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
});
