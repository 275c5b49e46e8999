/**
 * The daemon of one vault: connects when it is first asked, and again after a connection ended.
 */

import { Connection, type Json } from "./connection";
import { BadReply, NoDaemon } from "./errors";
import { candidateSockets, checkSocket, realVault, surroundings } from "./sockets";

/** Sends a request to the daemon and returns its result. */
export type Ask = (method: string, params: Json) => Promise<Json>;

const CONNECT_MS = 2_000;
/** More than the five seconds for which the daemon waits for changes. */
const REPLY_MS = 15_000;
const PROTOCOL = 1;

export class Daemon {
	private connection: Connection | null = null;
	private connecting: Promise<Connection> | null = null;
	private isClosed = false;

	/**
	 * @param folder the vault's folder
	 * @param named the path of its socket, or "" to look where `clew` listens by default
	 */
	constructor(
		private readonly folder: string,
		private readonly named: () => string,
	) {}

	/**
	 * Send a request and return its result.
	 *
	 * @throws NoDaemon no daemon answers for this vault
	 * @throws BadReply something else listens at its socket
	 * @throws Refusal the daemon answered with an error
	 */
	readonly ask: Ask = async (method, params) => {
		const connection = await this.connected();
		return connection.request(method, params, REPLY_MS);
	};

	/** End the connection; the next request makes another. */
	disconnect(): void {
		this.connection?.close();
		this.connection = null;
	}

	/** End the connection for good. */
	close(): void {
		this.isClosed = true;
		this.disconnect();
	}

	private async connected(): Promise<Connection> {
		if (this.isClosed) throw new NoDaemon("the plugin was unloaded");
		if (this.connection?.isOpen) return this.connection;
		this.connecting ??= this.connect().finally(() => {
			this.connecting = null;
		});
		return this.connecting;
	}

	private async connect(): Promise<Connection> {
		const vault = await realVault(this.folder);
		const around = surroundings();
		const named = this.named().trim();
		const paths = named ? [named] : await candidateSockets(vault, around);
		const failures: Error[] = [];
		for (const path of paths) {
			try {
				await checkSocket(path, around.uid);
				return this.keep(await greeted(path, vault));
			} catch (error) {
				failures.push(error instanceof Error ? error : new NoDaemon(String(error)));
			}
		}
		// A daemon that refuses, or something that is no daemon, says more than a missing socket.
		const telling = failures.find((error) => !(error instanceof NoDaemon));
		throw telling ?? failures[0] ?? new NoDaemon("no socket is known for this vault");
	}

	private keep(connection: Connection): Connection {
		if (this.isClosed) {
			connection.close();
			throw new NoDaemon("the plugin was unloaded");
		}
		this.connection = connection;
		return connection;
	}
}

/** Connect, and check that the daemon speaks the plugin's protocol and serves this vault. */
async function greeted(path: string, vault: string): Promise<Connection> {
	const connection = await Connection.open(path, CONNECT_MS);
	try {
		const hello = await connection.request("hello", { protocol: PROTOCOL }, REPLY_MS);
		if (hello["protocol"] !== PROTOCOL) throw new BadReply("this clew has another protocol");
		if (hello["vault"] !== vault) throw new NoDaemon(`the daemon at ${path} serves another vault`);
		return connection;
	} catch (error) {
		connection.close();
		throw error;
	}
}

