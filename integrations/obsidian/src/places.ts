/**
 * Where the daemon of a vault listens: the same rule as `clew` follows (docs/daemon.md).
 *
 * Pure: the environment and the file system come in as `Surroundings`. tests/data/vault_ids.json has
 * cases that the tests of the daemon and of this plugin both check.
 */

export interface Surroundings {
	/** Environment variables; an empty one counts as missing. */
	env: Readonly<Record<string, string | undefined>>;
	home: string;
	uid: number;
	platform: string;
	/** Whether a path is a folder in which this user may create files. */
	isWritableFolder(path: string): boolean;
}

const SLUG_LETTERS_MAX = 16;
/** Bytes of `sun_path`, without the null byte at its end. */
const SOCKET_PATH_BYTES_MAX = 107;
const SOCKET_PATH_BYTES_MAX_DARWIN = 103;
const CRC32_POLYNOMIAL = 0xedb88320;

/**
 * Return the short name of a vault.
 *
 * @param vault the absolute path of its folder, without symbolic links and `/` at the end
 */
export function vaultId(vault: string): string {
	const folder = vault.slice(vault.lastIndexOf("/") + 1).toLowerCase();
	const slug = folder.replace(/[^a-z0-9]/g, "").slice(0, SLUG_LETTERS_MAX);
	const path = new TextEncoder().encode(vault);
	return `${slug || "vault"}-${crc32(path)}${crc32(path.slice().reverse())}`;
}

/** Return the path of the socket on which a vault's daemon listens by default. */
export function socketPath(vault: string, around: Surroundings): string {
	const name = `${vaultId(vault)}.sock`;
	const runtime = around.env["XDG_RUNTIME_DIR"];
	const candidates = [`${stateFolder(vault, around)}/run/clew.sock`];
	if (runtime && around.isWritableFolder(runtime)) {
		candidates.unshift(`${withoutSlash(runtime)}/clew/${name}`);
	}
	const short = `${around.uid ? "/tmp" : "/run"}/clew-${String(around.uid)}/${name}`;
	return candidates.find((path) => fitsSocket(path, around.platform)) ?? short;
}

/** Return the folder in which a vault's daemon keeps its state by default. */
export function stateFolder(vault: string, around: Surroundings): string {
	const home = around.env["XDG_STATE_HOME"] || `${withoutSlash(around.home)}/.local/state`;
	return `${withoutSlash(home)}/clew/${vaultId(vault)}`;
}

/** Return whether the system can bind a socket to a path of this length. */
export function fitsSocket(path: string, platform: string): boolean {
	const bytesMax = platform === "darwin" ? SOCKET_PATH_BYTES_MAX_DARWIN : SOCKET_PATH_BYTES_MAX;
	return new TextEncoder().encode(path).length <= bytesMax;
}

/** Return the CRC-32 of ISO 3309, as zlib computes it, in eight hexadecimal digits. */
function crc32(bytes: Uint8Array): string {
	let remainder = 0xffffffff;
	for (const byte of bytes) {
		remainder ^= byte;
		for (let bit = 0; bit < 8; bit++) {
			remainder = (remainder >>> 1) ^ (remainder & 1 ? CRC32_POLYNOMIAL : 0);
		}
	}
	return (~remainder >>> 0).toString(16).padStart(8, "0");
}

function withoutSlash(folder: string): string {
	return folder.endsWith("/") ? folder.slice(0, -1) : folder;
}
