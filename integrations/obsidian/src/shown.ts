/** What the pane shows at a moment, and the words for what went wrong. */

import { BadReply, NoDaemon, Refusal } from "./errors";
import type { Related } from "./related";

export type Shown =
	| { kind: "message"; text: string }
	| { kind: "noDaemon"; reason: string; command: string }
	| { kind: "related"; title: string; related: Related };

const NOT_INDEXED = "Clew does not have this note: it may be new, left out or private.";

/** Return what to show for an error of a request about a note in the vault's folder. */
export function shownError(error: unknown, folder: string): Shown {
	if (error instanceof NoDaemon) {
		return { kind: "noDaemon", reason: error.message, command: startCommand(folder) };
	}
	if (error instanceof BadReply) {
		return { kind: "message", text: `What answers at the socket is not a clew of this version: ${error.message}.` };
	}
	if (error instanceof Refusal) {
		if (error.code === "notFound") return { kind: "message", text: NOT_INDEXED };
		const hint = error.hint ? ` (${error.hint})` : "";
		return { kind: "message", text: `Clew refused: ${error.message}${hint}` };
	}
	return { kind: "message", text: `Something failed: ${String(error)}` };
}

/** Return whether the same request may succeed later without a change of the note. */
export function mayPass(error: unknown): boolean {
	if (!(error instanceof Refusal)) return true;
	return ["notReady", "busy", "timeout", "vaultUnavailable"].includes(error.code);
}

/** Return the command that starts the daemon of a vault, quoted for a shell. */
export function startCommand(folder: string): string {
	return `clew start --vault '${folder.replaceAll("'", "'\\''")}'`;
}
