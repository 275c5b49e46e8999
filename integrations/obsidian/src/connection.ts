/**
 * One connection to a daemon: requests out, replies in, one line of JSON each (docs/protocol.md).
 *
 * What arrives is not trusted: a line that is too long, is not JSON or answers no request ends the
 * connection, and every request that waits fails. Knows nothing of vaults and notes.
 */

import { createConnection, type Socket } from "net";

import { BadReply, NoDaemon, Refusal } from "./errors";

export type Json = Record<string, unknown>;

const REPLY_BYTES_MAX = 16 * 1024 * 1024 + 4096;
/** The daemon stops reading when as many requests of a connection wait. */
const WAITING_MAX = 64;
const LINE_END = 0x0a;

interface Waiting {
	resolve(result: Json): void;
	reject(error: Error): void;
	timer: number;
}

export class Connection {
	private readonly waiting = new Map<number, Waiting>();
	private lastId = 0;
	private parts: Buffer[] = [];
	private partsBytes = 0;
	private failure: Error | null = null;

	private constructor(private readonly socket: Socket) {
		socket.on("data", (data: Buffer) => {
			this.receive(data);
		});
		socket.on("error", (error) => {
			this.fail(new NoDaemon(error.message));
		});
		socket.on("close", () => {
			this.fail(new NoDaemon("the daemon closed the connection"));
		});
	}

	/**
	 * Connect to the socket at a path.
	 *
	 * @throws NoDaemon nothing listens there, or it did not answer in time
	 */
	static open(path: string, timeoutMs: number): Promise<Connection> {
		return new Promise((resolve, reject) => {
			const socket = createConnection(path);
			const stop = (reason: string): void => {
				window.clearTimeout(timer);
				socket.destroy();
				reject(new NoDaemon(reason));
			};
			const timer = window.setTimeout(() => {
				stop(`${path} did not accept a connection in time`);
			}, timeoutMs);
			const onError = (error: Error): void => {
				stop(error.message);
			};
			socket.once("error", onError);
			socket.once("connect", () => {
				window.clearTimeout(timer);
				socket.off("error", onError);
				resolve(new Connection(socket));
			});
		});
	}

	get isOpen(): boolean {
		return this.failure === null;
	}

	/**
	 * Send a request and return its result.
	 *
	 * @throws Refusal the daemon answered with an error
	 * @throws NoDaemon the connection ended, or there was no reply in time
	 * @throws BadReply something came that is no reply
	 */
	request(method: string, params: Json, timeoutMs: number): Promise<Json> {
		if (this.failure) return Promise.reject(this.failure);
		if (this.waiting.size >= WAITING_MAX) {
			return Promise.reject(new NoDaemon("the daemon is too slow: too many requests wait"));
		}
		const id = ++this.lastId;
		return new Promise((resolve, reject) => {
			const timer = window.setTimeout(() => {
				this.fail(new NoDaemon(`the daemon did not answer '${method}' in time`));
			}, timeoutMs);
			this.waiting.set(id, { resolve, reject, timer });
			this.socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
		});
	}

	close(): void {
		this.fail(new NoDaemon("the connection was closed"));
	}

	private receive(data: Buffer): void {
		let from = 0;
		for (let end = data.indexOf(LINE_END); end >= 0; end = data.indexOf(LINE_END, from)) {
			this.collect(data.subarray(from, end));
			const line = Buffer.concat(this.parts).toString("utf8");
			this.parts = [];
			this.partsBytes = 0;
			if (this.isOpen) this.take(line);
			from = end + 1;
		}
		this.collect(data.subarray(from));
	}

	private collect(part: Buffer): void {
		if (!this.isOpen) return;
		this.parts.push(part);
		this.partsBytes += part.length;
		if (this.partsBytes > REPLY_BYTES_MAX) {
			this.fail(new BadReply(`a reply has over ${String(REPLY_BYTES_MAX)} bytes`));
		}
	}

	private take(line: string): void {
		const reply = parsed(line);
		const id = reply?.["id"];
		const asker = typeof id === "number" ? this.waiting.get(id) : undefined;
		const result = reply?.["result"];
		const error = reply?.["error"];
		if (!asker || typeof id !== "number" || isObject(result) === isObject(error)) {
			this.fail(refusalWithoutId(reply) ?? new BadReply("a line is no reply to a request"));
			return;
		}
		this.waiting.delete(id);
		window.clearTimeout(asker.timer);
		if (isObject(result)) asker.resolve(result);
		else asker.reject(refusal(error));
	}

	private fail(error: Error): void {
		if (this.failure) return;
		this.failure = error;
		this.parts = [];
		this.socket.destroy();
		for (const asker of this.waiting.values()) {
			window.clearTimeout(asker.timer);
			asker.reject(error);
		}
		this.waiting.clear();
	}
}

export function isObject(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(line: string): Json | null {
	try {
		const value: unknown = JSON.parse(line);
		return isObject(value) ? value : null;
	} catch {
		return null;
	}
}

/** Return the refusal in a reply to no request, such as `busy`, which ends the connection. */
function refusalWithoutId(reply: Json | null): Refusal | null {
	return reply?.["id"] === null && isObject(reply["error"]) ? refusal(reply["error"]) : null;
}

function refusal(error: unknown): Refusal {
	const fields = isObject(error) ? error : {};
	const data = isObject(fields["data"]) ? fields["data"] : {};
	return new Refusal(text(fields["message"]), text(data["code"]), text(data["hint"]));
}

function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}
