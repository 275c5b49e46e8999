/** The side pane: follows the active note, asks the daemon about it, and opens what is clicked. */

import { debounce, ItemView, Keymap, Notice, type TAbstractFile, type TFile, type WorkspaceLeaf } from "obsidian";

import type { Ask } from "./daemon";
import { noteOfConcept, relatedTo, type ConceptRow, type NoteRow } from "./related";
import { draw } from "./render";
import { mayPass, shownError, type Shown } from "./shown";

export const VIEW_TYPE = "clew-related";

const EDIT_PAUSE_MS = 1_500;
const INDEXING_MS = 5_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

/** What the pane needs from the plugin. */
export interface Host {
	/** The vault's folder. */
	folder: string;
	ask: Ask;
	withPrivate(): boolean;
}

export class RelatedView extends ItemView {
	/** Replies to an earlier refresh than the last one are not shown. */
	private lastRefresh = 0;
	private retryMs = RETRY_MS;
	private timer: number | null = null;
	private isClosed = false;

	private readonly refreshAfterEdit = debounce(() => void this.refresh(true), EDIT_PAUSE_MS, true);

	constructor(
		leaf: WorkspaceLeaf,
		private readonly host: Host,
	) {
		super(leaf);
		this.navigation = false;
	}

	getViewType(): string {
		return VIEW_TYPE;
	}

	getDisplayText(): string {
		return "Related by clew";
	}

	getIcon(): string {
		return "waypoints";
	}

	async onOpen(): Promise<void> {
		this.contentEl.addClass("clew-pane");
		const { workspace, metadataCache, vault } = this.app;
		this.registerEvent(workspace.on("file-open", () => void this.refresh()));
		this.registerEvent(metadataCache.on("changed", this.onChange));
		this.registerEvent(vault.on("rename", this.onChange));
		await this.refresh();
	}

	onClose(): Promise<void> {
		this.isClosed = true;
		this.lastRefresh++;
		this.stopTimer();
		this.refreshAfterEdit.cancel();
		return Promise.resolve();
	}

	/** Ask about the active note and show it; `isChanged` waits for the note as it is now. */
	async refresh(isChanged = false): Promise<void> {
		if (this.isClosed) return;
		this.stopTimer();
		const refresh = ++this.lastRefresh;
		const file = this.app.workspace.getActiveFile();
		if (!file || !isNote(file)) {
			this.show({ kind: "message", text: "Open a note to see what is related to it." });
			return;
		}
		const shown = await this.ask(file, isChanged);
		if (refresh !== this.lastRefresh) return;
		this.show(shown.shown);
		if (shown.againMs !== null) this.refreshIn(shown.againMs);
	}

	private async ask(file: TFile, isChanged: boolean): Promise<{ shown: Shown; againMs: number | null }> {
		const { path, basename: title } = file;
		const wanted = { path, title, isChanged, withPrivate: this.host.withPrivate() };
		try {
			const related = await relatedTo(this.host.ask, wanted);
			this.retryMs = RETRY_MS;
			const againMs = related.indexing ? INDEXING_MS : null;
			return { shown: { kind: "related", title, related }, againMs };
		} catch (error) {
			const againMs = mayPass(error) ? this.nextRetryMs() : null;
			return { shown: shownError(error, this.host.folder), againMs };
		}
	}

	private nextRetryMs(): number {
		const now = this.retryMs;
		this.retryMs = Math.min(2 * now, RETRY_MS_MAX);
		return now;
	}

	private refreshIn(milliseconds: number): void {
		this.timer = window.setTimeout(() => void this.refresh(), milliseconds);
	}

	private stopTimer(): void {
		if (this.timer !== null) window.clearTimeout(this.timer);
		this.timer = null;
	}

	private readonly onChange = (file: TAbstractFile): void => {
		if (file.path === this.app.workspace.getActiveFile()?.path) this.refreshAfterEdit();
	};

	private show(shown: Shown): void {
		draw(this.contentEl, shown, {
			openConcept: (row, event) => void this.openConcept(row, event),
			openNote: (row, event) => void this.openNote(row, event),
			retry: () => {
				this.retryMs = RETRY_MS;
				void this.refresh();
			},
		});
	}

	private async openConcept(row: ConceptRow, event: MouseEvent): Promise<void> {
		try {
			const path = await noteOfConcept(this.host.ask, row.name);
			if (path === null) new Notice(`No note is named "${row.shown}" yet.`);
			else await this.open(path, 1, event);
		} catch (error) {
			const shown = shownError(error, this.host.folder);
			new Notice(shown.kind === "message" ? shown.text : "No clew daemon answers for this vault.");
		}
	}

	private async openNote(row: NoteRow, event: MouseEvent): Promise<void> {
		await this.open(row.path, row.line, event);
	}

	/** Open a note that exists: a path without a file opens nothing, so that no note is made. */
	private async open(path: string, line: number, event: MouseEvent): Promise<void> {
		const file = this.app.vault.getFileByPath(path);
		if (!file) {
			new Notice(`There is no note ${path} any more.`);
			return;
		}
		const leaf = this.app.workspace.getLeaf(Keymap.isModEvent(event));
		await leaf.openFile(file, line > 1 ? { eState: { line: line - 1 } } : {});
	}
}

function isNote(file: TFile): boolean {
	return ["md", "markdown"].includes(file.extension.toLowerCase());
}
