/** What a connection makes of replies, whole, in pieces, wrong and missing. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Connection } from "../src/connection";
import { BadReply, NoDaemon, Refusal } from "../src/errors";

let folder = "";
let path = "";
let server: Server | null = null;
const peers = new Set<Socket>();

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "clew-"));
	path = join(folder, "s.sock");
});

afterEach(async () => {
	for (const peer of peers) peer.destroy();
	peers.clear();
	await new Promise<void>((done) => {
		if (!server) done();
		else
			server.close(() => {
				done();
			});
	});
	server = null;
	rmSync(folder, { recursive: true });
});

/** Listen, and call `answer` with what each peer sends. */
async function serve(answer: (peer: Socket, data: string) => void): Promise<void> {
	const listening = createServer((peer) => {
		peers.add(peer);
		peer.on("error", () => undefined);
		peer.on("data", (data: Buffer) => {
			answer(peer, data.toString());
		});
	});
	server = listening;
	await new Promise<void>((done) => listening.listen(path, done));
}

async function ask(timeoutMs = 5_000): Promise<unknown> {
	const connection = await Connection.open(path, 1_000);
	return connection.request("status", {}, timeoutMs);
}

describe("replies", () => {
	it("are joined from pieces that split letters", async () => {
		await serve((peer) => {
			const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"title":"潮汐"}}\n');
			for (let at = 0; at < bytes.length; at++) {
				setTimeout(() => peer.write(bytes.subarray(at, at + 1)), at);
			}
		});
		await expect(ask()).resolves.toEqual({ title: "潮汐" });
	});

	it("find their requests whatever their order", async () => {
		await serve((peer, data) => {
			const ids = data.trim().split("\n").map((line) => (JSON.parse(line) as { id: number }).id);
			const lines = ids.reverse().map((id) => `{"id":${String(id)},"result":{"id":${String(id)}}}\n`);
			peer.write(lines.join(""));
		});
		const connection = await Connection.open(path, 1_000);
		const requests = [1, 2, 3].map(() => connection.request("status", {}, 5_000));
		await expect(Promise.all(requests)).resolves.toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
		connection.close();
	});

	it("that are errors leave the connection open", async () => {
		await serve((peer, data) => {
			const { id } = JSON.parse(data) as { id: number };
			const error = '{"message":"no note","data":{"code":"notFound","hint":"look"}}';
			peer.write(id === 1 ? `{"id":1,"error":${error}}\n` : `{"id":2,"result":{}}\n`);
		});
		const connection = await Connection.open(path, 1_000);
		const failure = await connection.request("links", {}, 5_000).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(Refusal);
		expect(failure).toMatchObject({ message: "no note", code: "notFound", hint: "look" });
		await expect(connection.request("links", {}, 5_000)).resolves.toEqual({});
		connection.close();
	});

	it("without an id that are errors are refusals", async () => {
		await serve((peer) => peer.write('{"id":null,"error":{"data":{"code":"busy"}}}\n'));
		await expect(ask()).rejects.toMatchObject({ code: "busy" });
	});
});

const GARBAGE: [string, string | Buffer][] = [
	["no JSON", "HTTP/1.1 400 Bad Request\r\n\r\n"],
	["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
	["an empty line", "\n"],
	["a list", "[]\n"],
	["a number", "1\n"],
	["null", "null\n"],
	["an id that nobody has", '{"id":7,"result":{}}\n'],
	["an id of another type", '{"id":"1","result":{}}\n'],
	["neither result nor error", '{"id":1}\n'],
	["both result and error", '{"id":1,"result":{},"error":{}}\n'],
	["a result that is a list", '{"id":1,"result":[]}\n'],
	["an error that is a text", '{"id":1,"error":"no"}\n'],
	["deep nesting", "[".repeat(200_000) + "\n"],
	["a key that is a prototype", '{"__proto__":{"id":1,"result":{}}}\n'],
];

describe("garbage fails the request and ends the connection", () => {
	it.each(GARBAGE)("%s", async (_, garbage) => {
		await serve((peer) => peer.write(garbage));
		const connection = await Connection.open(path, 1_000);
		const requests = [connection.request("status", {}, 5_000), connection.request("tags", {}, 5_000)];
		for (const settled of await Promise.allSettled(requests)) {
			expect(settled).toMatchObject({ status: "rejected" });
			expect((settled as PromiseRejectedResult).reason).toBeInstanceOf(BadReply);
		}
		expect(connection.isOpen).toBe(false);
		await expect(connection.request("status", {}, 5_000)).rejects.toBeInstanceOf(BadReply);
	});

	it("a line without an end", async () => {
		await serve((peer) => {
			const piece = Buffer.alloc(1024 * 1024, "x");
			for (let count = 0; count < 18; count++) peer.write(piece);
		});
		await expect(ask()).rejects.toBeInstanceOf(BadReply);
	});
});

describe("a daemon that is missing", () => {
	it("has no socket", async () => {
		await expect(ask()).rejects.toBeInstanceOf(NoDaemon);
	});

	it("closes the connection", async () => {
		await serve((peer) => peer.end('{"id":1,"res'));
		await expect(ask()).rejects.toBeInstanceOf(NoDaemon);
	});

	it("never answers", async () => {
		await serve(() => undefined);
		await expect(ask(50)).rejects.toThrow("did not answer 'status' in time");
	});

	it("lets no more than 64 requests wait", async () => {
		await serve(() => undefined);
		const connection = await Connection.open(path, 1_000);
		const waiting = Array.from({ length: 64 }, () => connection.request("status", {}, 5_000));
		await expect(connection.request("status", {}, 5_000)).rejects.toThrow("too many requests");
		connection.close();
		for (const settled of await Promise.allSettled(waiting)) expect(settled.status).toBe("rejected");
	});
});
