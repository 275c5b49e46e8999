/** A real daemon on the sample vault, with folders of its own for its state and its socket. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const SAMPLE_VAULT = join(ROOT, "sample-vault");

const environment = { ...process.env, PYTHONPATH: join(ROOT, "src") };

/** $CLEW_PYTHON, which must be able to run clew, or else the checkout's or the system's, if it is. */
function findPython(): string | null {
	const named = process.env["CLEW_PYTHON"];
	if (named) {
		if (!runsClew(named)) throw new Error(`CLEW_PYTHON=${named} cannot run clew`);
		return named;
	}
	return [join(ROOT, ".venv/bin/python"), "python3"].find(runsClew) ?? null;
}

function runsClew(executable: string): boolean {
	try {
		execFileSync(executable, ["-m", "clew", "--version"], { env: environment, stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}

export const python = findPython();

export class Served {
	private process: ChildProcess | null = null;
	readonly home = mkdtempSync(join(tmpdir(), "clew-"));

	/** What a client must have in its environment to find the daemon. */
	readonly variables = {
		XDG_RUNTIME_DIR: join(this.home, "r"),
		XDG_STATE_HOME: join(this.home, "s"),
		CLEW_CONFIG: join(this.home, "none.toml"),
	};

	constructor(private readonly vault = SAMPLE_VAULT) {
		mkdirSync(this.variables.XDG_RUNTIME_DIR, { mode: 0o700 });
	}

	/** Start the daemon and wait until all notes are indexed. */
	async start(): Promise<void> {
		const args = ["-m", "clew", "serve", "--vault", this.vault];
		const env = { ...environment, ...this.variables };
		this.process = spawn(python ?? "", args, { env, stdio: "ignore" });
		for (let tries = 0; tries < 600 && !this.isReady(); tries++) {
			await new Promise((done) => setTimeout(done, 200));
		}
	}

	async stop(): Promise<void> {
		const child = this.process;
		this.process = null;
		if (!child || child.exitCode !== null) return;
		const ended = new Promise((done) => child.once("exit", done));
		child.kill("SIGTERM");
		await ended;
	}

	remove(): void {
		rmSync(this.home, { recursive: true, force: true });
	}

	private isReady(): boolean {
		try {
			const args = ["-m", "clew", "status", "--json", "--vault", this.vault];
			const env = { ...environment, ...this.variables };
			const reply = execFileSync(python ?? "", args, { env, stdio: ["ignore", "pipe", "ignore"] });
			return (JSON.parse(reply.toString()) as { ready: boolean }).ready;
		} catch {
			return false;
		}
	}
}
