/** Which sockets may be a vault's daemon: looks at the environment and the file system. */

import { constants } from "fs";
import { accessSync, statSync } from "fs";
import { lstat, open, realpath } from "fs/promises";
import { homedir } from "os";
import { dirname } from "path";

import { isObject } from "./connection";
import { NoDaemon } from "./errors";
import { fitsSocket, socketPath, stateFolder, type Surroundings } from "./places";

const RECORD_BYTES_MAX = 4096;
const OTHERS = 0o077;

/**
 * Return what the rule for socket paths depends on, on this machine.
 *
 * @throws NoDaemon this system has no users with numbers, so that there is no clew for it
 */
export function surroundings(): Surroundings {
	const uid = process.getuid?.();
	if (uid === undefined) throw new NoDaemon("clew runs on Linux and macOS only");
	return { env: process.env, home: homedir(), uid, platform: process.platform, isWritableFolder };
}

/** Return the path of a vault's folder as `clew` knows it: without symbolic links. */
export async function realVault(folder: string): Promise<string> {
	return realpath(folder);
}

/**
 * Return the sockets to try for a vault, in this order: where a daemon with this environment listens,
 * then where the record of a daemon that was started in another environment says.
 */
export async function candidateSockets(vault: string, around: Surroundings): Promise<string[]> {
	const usual = socketPath(vault, around);
	const recorded = await recordedSocket(stateFolder(vault, around), around);
	return recorded && recorded !== usual ? [usual, recorded] : [usual];
}

/**
 * Check that only this user can have made a socket.
 *
 * Node cannot ask who listens at a socket, so the file and its folder are checked instead: both
 * belong to this user, and nobody else can enter the folder.
 *
 * @throws NoDaemon there is no socket, or others could have made it
 */
export async function checkSocket(path: string, uid: number): Promise<void> {
	const [file, folder] = await Promise.all([lstat(path), lstat(dirname(path))]).catch(() => {
		throw new NoDaemon(`nothing listens at ${path}`);
	});
	if (!file.isSocket()) throw new NoDaemon(`${path} is not a socket`);
	const isPrivate = folder.isDirectory() && folder.uid === uid && (folder.mode & OTHERS) === 0;
	if (file.uid !== uid || !isPrivate) {
		throw new NoDaemon(`${path} is not in a private folder of yours, so it is not used`);
	}
}

/** Return the socket that the record in a state folder names, or null. */
async function recordedSocket(state: string, around: Surroundings): Promise<string | null> {
	try {
		const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		const file = await open(`${state}/daemon.json`, flags);
		try {
			const status = await file.stat();
			if (!status.isFile() || status.uid !== around.uid) return null;
			if (status.size > RECORD_BYTES_MAX) return null;
			return socketIn(await file.readFile("utf8"), around.platform);
		} finally {
			await file.close();
		}
	} catch {
		return null; // no record, or one that cannot be read
	}
}

function socketIn(record: string, platform: string): string | null {
	const fields: unknown = JSON.parse(record);
	const path = isObject(fields) ? fields["socket"] : null;
	const isPath = typeof path === "string" && path.startsWith("/") && !path.includes("\0");
	return isPath && fitsSocket(path, platform) ? path : null;
}

function isWritableFolder(path: string): boolean {
	try {
		accessSync(path, constants.W_OK | constants.X_OK);
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}
