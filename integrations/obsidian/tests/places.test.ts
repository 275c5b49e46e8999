/** The paths that the plugin computes are those that clew computes. */

import { describe, expect, it } from "vitest";

import cases from "../../../tests/data/vault_ids.json";
import { fitsSocket, socketPath, vaultId } from "../src/places";

describe("the cases that the daemon's tests check too", () => {
	it.each(cases.vaults)("$about", ({ vault, id }) => {
		expect(vaultId(vault)).toBe(id);
	});

	it.each(cases.sockets)("$about", ({ vault, uid, home, runtime, state, socket }) => {
		const env = { XDG_RUNTIME_DIR: runtime ?? undefined, XDG_STATE_HOME: state ?? undefined };
		const around = { env, home, uid, platform: "linux", isWritableFolder: () => true };
		expect(socketPath(vault, around)).toBe(socket);
	});
});

it("does not use a runtime folder that cannot be written", () => {
	const env = { XDG_RUNTIME_DIR: "/run/user/1" };
	const around = { env, home: "/h", uid: 1, platform: "linux", isWritableFolder: () => false };
	expect(socketPath("/v", around)).toMatch(/^\/h\//);
});

it("knows that paths of sockets are shorter on macOS", () => {
	const path = "/" + "x".repeat(103);
	expect([fitsSocket(path, "linux"), fitsSocket(path, "darwin")]).toEqual([true, false]);
});
