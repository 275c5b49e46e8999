/** The plugin's side of the socket with a real daemon at the other end. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { Daemon } from "../src/daemon";
import { BadReply, NoDaemon } from "../src/errors";
import { noteOfConcept, relatedTo, type Wanted } from "../src/related";
import { candidateSockets, realVault, surroundings } from "../src/sockets";
import { python, SAMPLE_VAULT, Served } from "./served";

const NOTE: Wanted = { path: "concepts/Clock drift.md", title: "Clock drift", isChanged: false, withPrivate: false };

function setVariables(variables: Readonly<Record<string, string>>): void {
	for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

function communitiesAreReady(status: unknown): boolean {
	return (status as { stages: { communities: { ready: boolean } } }).stages.communities.ready;
}

if (!python) console.warn("skipped: no Python here has what clew needs (set CLEW_PYTHON to one)");

describe.skipIf(!python)("with a daemon on the sample vault", () => {
	let served: Served;
	let daemon: Daemon;

	beforeAll(async () => {
		served = new Served();
		await served.start();
		setVariables(served.variables);
		daemon = new Daemon(SAMPLE_VAULT, () => "");
	});

	afterAll(async () => {
		daemon.close();
		await served.stop();
		served.remove();
		vi.unstubAllEnvs();
	});

	it("finds what is related to a note, and notes that exist", async () => {
		const related = await relatedTo(daemon.ask, { ...NOTE, isChanged: true });
		expect(related.concepts.map((row) => row.shown)).toContain("GPS time");
		expect(related.notes.length).toBeGreaterThan(0);
		expect(related.notes.map((row) => row.path)).not.toContain(NOTE.path);
		for (const row of [...related.notes, ...related.mentions]) {
			expect(existsSync(join(SAMPLE_VAULT, row.path)), row.path).toBe(true);
		}
		expect(related).toMatchObject({ indexing: null, degraded: [] });
	});

	it("gets a reply that it understands for each note of the vault", async () => {
		const paths = readdirSync(SAMPLE_VAULT, { recursive: true, encoding: "utf8" })
			.filter((path) => path.endsWith(".md") && !path.startsWith("templates/") && !path.startsWith("."));
		const failures: string[] = [];
		let mentions = 0;
		let siblings = 0;
		// A process of its own computes communities, some seconds after the first reply.
		await vi.waitUntil(async () => communitiesAreReady(await daemon.ask("status", {})), { timeout: 30_000, interval: 100 });
		for (const path of paths) {
			const title = path.slice(path.lastIndexOf("/") + 1, -3);
			try {
				const related = await relatedTo(daemon.ask, { ...NOTE, path, title });
				mentions += related.mentionCount;
				siblings += related.siblings.length;
			} catch (error) {
				failures.push(`${path}: ${String(error)}`);
			}
		}
		expect(failures).toEqual([]);
		expect(paths.length).toBeGreaterThan(90);
		expect(mentions).toBeGreaterThan(0);
		expect(siblings).toBeGreaterThan(0);
	}, 60_000);

	it("finds the note of a concept, and none for a concept without a note", async () => {
		expect(await noteOfConcept(daemon.ask, "clock-drift")).toBe("concepts/Clock drift.md");
		expect(await noteOfConcept(daemon.ask, "gps-time")).toBeNull();
	});

	it("is refused for a note that is not indexed", async () => {
		const wanted = { ...NOTE, path: "No such note.md" };
		await expect(relatedTo(daemon.ask, wanted)).rejects.toMatchObject({ code: "notFound" });
	});

	it("finds the vault through a symbolic link", async () => {
		const link = join(served.home, "link");
		symlinkSync(SAMPLE_VAULT, link);
		const linked = new Daemon(link, () => "");
		await expect(linked.ask("status", {})).resolves.toMatchObject({ ready: true });
		linked.close();
	});

	it("finds a daemon that was started in another environment by its record", async () => {
		vi.stubEnv("XDG_RUNTIME_DIR", "");
		const other = new Daemon(SAMPLE_VAULT, () => "");
		await expect(other.ask("status", {})).resolves.toMatchObject({ ready: true });
		other.close();
		setVariables(served.variables);
	});

	it("does not take the daemon of another vault for that of this one", async () => {
		const [socket] = await candidateSockets(await realVault(SAMPLE_VAULT), surroundings());
		const other = new Daemon(served.home, () => socket ?? "");
		await expect(other.ask("status", {})).rejects.toThrow("serves another vault");
		other.close();
	});

	it("connects again after the daemon was restarted", async () => {
		await daemon.ask("status", {});
		await served.stop();
		await expect(daemon.ask("status", {})).rejects.toBeInstanceOf(NoDaemon);
		await served.start();
		await expect(daemon.ask("status", {})).resolves.toMatchObject({ ready: true });
	});

	it("connects once for requests that are made together, and never after its end", async () => {
		daemon.disconnect();
		const replies = await Promise.all([1, 2, 3].map(() => daemon.ask("tags", { limit: 1 })));
		expect(replies).toHaveLength(3);
		const closed = new Daemon(SAMPLE_VAULT, () => "");
		closed.close();
		await expect(closed.ask("status", {})).rejects.toBeInstanceOf(NoDaemon);
	});
});

describe("what is not the user's own daemon", () => {
	const folder = mkdtempSync(join(tmpdir(), "clew-"));
	const state = join(folder, "s");
	const named = join(folder, "private", "d.sock");
	const ask = (): Promise<unknown> => new Daemon(folder, () => named).ask("status", {});
	mkdirSync(dirname(named), { mode: 0o700 });

	afterEach(() => {
		chmodSync(dirname(named), 0o700);
	});

	afterAll(() => {
		rmSync(folder, { recursive: true });
	});

	async function listening(answer: string, use: () => Promise<void>): Promise<void> {
		const server = createServer((peer) => {
			peer.on("error", () => undefined);
			peer.on("data", () => peer.end(answer));
		});
		await new Promise<void>((done) => server.listen(named, done));
		await use();
		await new Promise((done) => server.close(done));
	}

	it("a socket in a folder that others can enter", async () => {
		await listening("", async () => {
			chmodSync(dirname(named), 0o755);
			await expect(ask()).rejects.toThrow("not in a private folder");
			expect(statSync(named).isSocket()).toBe(true);
		});
	});

	it("a file that is no socket", async () => {
		writeFileSync(named, "");
		await expect(ask()).rejects.toThrow("is not a socket");
		rmSync(named);
	});

	it("no file", async () => {
		await expect(ask()).rejects.toThrow("nothing listens");
	});

	it("a daemon of another protocol", async () => {
		await listening('{"id":1,"result":{"protocol":2}}\n', async () => {
			await expect(ask()).rejects.toBeInstanceOf(BadReply);
		});
	});

	it.each(["", "[]", "{", '{"socket":7}', '{"socket":"relative"}', `{"socket":"/${"x".repeat(200)}"}`, " ".repeat(5_000)])(
		"a record with %j names no socket",
		async (record) => {
			const around = { ...surroundings(), env: { XDG_STATE_HOME: state } };
			const [usual = ""] = await candidateSockets(folder, around);
			const file = join(dirname(dirname(usual)), "daemon.json");
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, record);
			expect(await candidateSockets(folder, around)).toEqual([usual]);
			writeFileSync(file, '{"pid":1,"startedTicks":1,"socket":"/somewhere.sock"}');
			expect(await candidateSockets(folder, around)).toEqual([usual, "/somewhere.sock"]);
		},
	);
});
