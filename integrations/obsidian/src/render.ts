/**
 * Draws the pane. All text of notes is set as text, never as HTML.
 */

import type { ConceptRow, NoteRow, Related } from "./related";
import type { Shown } from "./shown";

/** What happens when the reader clicks. */
export interface Actions {
	openConcept(row: ConceptRow, event: MouseEvent): void;
	openNote(row: NoteRow, event: MouseEvent): void;
	retry(): void;
}

export function draw(pane: HTMLElement, shown: Shown, actions: Actions): void {
	pane.empty();
	if (shown.kind === "message") pane.createEl("p", { cls: "clew-message", text: shown.text });
	else if (shown.kind === "noDaemon") drawNoDaemon(pane, shown, actions);
	else drawRelated(pane, shown.title, shown.related, actions);
}

function drawNoDaemon(
	pane: HTMLElement,
	shown: { reason: string; command: string },
	actions: Actions,
): void {
	pane.createEl("p", { cls: "clew-message", text: "No clew daemon answers for this vault." });
	pane.createEl("p", { cls: "clew-message", text: "Start it in a terminal:" });
	pane.createEl("pre", { cls: "clew-command", text: shown.command });
	pane.createEl("p", { cls: "clew-detail", text: `${shown.reason}.` });
	const button = pane.createEl("button", { text: "Try again" });
	button.addEventListener("click", () => {
		actions.retry();
	});
}

function drawRelated(pane: HTMLElement, title: string, related: Related, actions: Actions): void {
	pane.createEl("p", { cls: "clew-title", text: title });
	if (related.indexing) {
		const { done, total } = related.indexing;
		const text = `Clew is reading your notes: ${String(done)} of ${String(total)}.`;
		pane.createEl("p", { cls: "clew-message", text });
	}
	drawConcepts(pane, "Related concepts", related.concepts, actions);
	drawConcepts(pane, "Siblings", related.siblings, actions);
	const missing = related.degraded.length ? `Not working now: ${related.degraded.join(", ")}.` : "";
	drawNotes(pane, "Similar notes", related.notes, missing, actions);
	const more = related.mentionCount - related.mentions.length;
	const rest = more > 0 ? `And ${String(more)} more.` : "";
	drawNotes(pane, "Unlinked mentions", related.mentions, rest, actions);
}

function drawConcepts(pane: HTMLElement, heading: string, rows: ConceptRow[], actions: Actions): void {
	const list = section(pane, heading, rows.length);
	for (const row of rows) {
		item(list, row, (event) => {
			actions.openConcept(row, event);
		});
	}
}

function drawNotes(
	pane: HTMLElement,
	heading: string,
	rows: NoteRow[],
	remark: string,
	actions: Actions,
): void {
	const list = section(pane, heading, rows.length);
	for (const row of rows) {
		item(list, row, (event) => {
			actions.openNote(row, event);
		});
	}
	if (remark) pane.createEl("p", { cls: "clew-detail", text: remark });
}

function section(pane: HTMLElement, heading: string, count: number): HTMLElement {
	pane.createEl("h6", { cls: "clew-heading", text: heading });
	if (!count) pane.createEl("p", { cls: "clew-detail", text: "None" });
	return pane.createEl("ul", { cls: "clew-list" });
}

function item(
	list: HTMLElement,
	row: { shown: string; detail: string },
	onClick: (event: MouseEvent) => void,
): void {
	// A button can be reached and pressed with the keyboard.
	const button = list.createEl("li").createEl("button", { cls: "clew-row" });
	button.createSpan({ cls: "clew-name", text: row.shown });
	button.createSpan({ cls: "clew-detail", text: row.detail });
	button.addEventListener("click", onClick);
}
