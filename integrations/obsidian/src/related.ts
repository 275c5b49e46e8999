/**
 * What the pane shows for a note: three requests to the daemon, and their replies read with care.
 *
 * Pure but for the requests. A reply of another shape than docs/protocol.md gives is a `BadReply`.
 */

import { isObject, type Json } from "./connection";
import type { Ask } from "./daemon";
import { BadReply, Refusal } from "./errors";

const CONCEPTS_MAX = 12;
const NOTES_MAX = 10;
const MENTIONS_MAX = 20;
const QUERY_CHARACTERS_MAX = 200;
const SCHEME = "memory://";

export interface ConceptRow {
	/** The concept's normalized name, by which the daemon knows it. */
	name: string;
	shown: string;
	detail: string;
}

export interface NoteRow {
	path: string;
	shown: string;
	/** Text of the note: a passage, or the line of a mention. */
	detail: string;
	/** Counted from 1. */
	line: number;
}

export interface Related {
	concepts: ConceptRow[];
	siblings: ConceptRow[];
	notes: NoteRow[];
	mentions: NoteRow[];
	/** May be more than the rows of `mentions`. */
	mentionCount: number;
	/** How far a first index is, or null. */
	indexing: { done: number; total: number } | null;
	/** The parts of the daemon that similar notes need and that do not work. */
	degraded: string[];
}

export interface Wanted {
	path: string;
	/** The note's name, by which similar notes are searched. */
	title: string;
	/** Wait until the note as it is now has been indexed. */
	isChanged: boolean;
	/** Show private notes, if the daemon allows it. */
	withPrivate: boolean;
}

/**
 * Ask the daemon for all that the pane shows.
 *
 * @throws NoDaemon, BadReply, Refusal as the daemon's `ask` does
 */
export async function relatedTo(ask: Ask, wanted: Wanted): Promise<Related> {
	const uri = uriOf(wanted.path);
	const common: Json = wanted.withPrivate ? { includePrivate: "ifAllowed" } : {};
	const first: Json = wanted.isChanged ? { ...common, waitFor: [uri] } : common;
	const [concept, backlinks, found] = await Promise.all([
		ask("concept", { ...first, conceptName: uri, depth: 1, maxEntities: CONCEPTS_MAX }),
		ask("backlinks", { ...common, uri, limit: MENTIONS_MAX }),
		search(ask, wanted.title, common),
	]);
	const results = found ? rows(found["results"]).map(noteFound) : [];
	return {
		concepts: rows(concept["directRelations"]).slice(0, CONCEPTS_MAX).map(relation),
		siblings: rows(concept["communitySiblings"]).slice(0, CONCEPTS_MAX).map(sibling),
		notes: results.filter((row) => row.path !== wanted.path).slice(0, NOTES_MAX),
		mentions: rows(backlinks["mentions"]).slice(0, MENTIONS_MAX).map(mention),
		mentionCount: count(backlinks["mentionCount"]),
		indexing: indexing(concept["indexing"]),
		degraded: found ? names(found["degraded"]) : [],
	};
}

/**
 * Return the path of the note that a concept is, or null if there is no note of this name.
 *
 * @throws NoDaemon, BadReply, Refusal as the daemon's `ask` does
 */
export async function noteOfConcept(ask: Ask, name: string): Promise<string | null> {
	try {
		// `links` leaves the note's date of reading as it is, which `read` would not.
		const reply = await ask("links", { uri: `concept://${name}`, limit: 1 });
		return pathOf(string(reply["uri"]));
	} catch (error) {
		if (error instanceof Refusal && error.code === "notFound") return null;
		throw error;
	}
}

/** Return the URI of a note by its path in the vault. */
export function uriOf(path: string): string {
	return SCHEME + path.split("/").map(encodeURIComponent).join("/");
}

/**
 * Return the path in the vault of the note that a URI names.
 *
 * @throws BadReply this is no URI of a note in the vault
 */
export function pathOf(uri: string): string {
	if (!uri.startsWith(SCHEME)) throw new BadReply("a URI does not name a note");
	try {
		return decodeURIComponent(uri.slice(SCHEME.length));
	} catch {
		throw new BadReply("a URI is not encoded as it must be");
	}
}

/** Return a title as plain words of a query: operators, quotes and minus signs mean nothing in it. */
export function plainQuery(title: string): string {
	const words = title.replace(/[^\p{L}\p{M}\p{N}+#.]+/gu, " ").trim();
	return Array.from(words).slice(0, QUERY_CHARACTERS_MAX).join("");
}

/** Search for notes like a title; null if the title has no word to search for. */
async function search(ask: Ask, title: string, common: Json): Promise<Json | null> {
	const query = plainQuery(title);
	if (!query) return null;
	try {
		return await ask("search", { ...common, query, mode: "semantic", limit: NOTES_MAX + 1 });
	} catch (error) {
		if (error instanceof Refusal && error.code === "invalidParams") return null;
		throw error;
	}
}

function relation(row: Json): ConceptRow {
	const shared = count(row["fileCount"]);
	const detail = shared === 1 ? "1 note" : `${String(shared)} notes`;
	return { name: string(row["name"]), shown: string(row["displayName"]), detail };
}

function sibling(row: Json): ConceptRow {
	const shared = count(row["sharedNeighborCount"]);
	const detail = `${String(shared)} neighbours in common`;
	return { name: string(row["name"]), shown: string(row["displayName"]), detail };
}

function noteFound(row: Json): NoteRow {
	const lines = Array.isArray(row["lines"]) ? (row["lines"] as unknown[]) : [];
	return {
		path: pathOf(string(row["uri"])),
		shown: string(row["title"]),
		detail: string(row["snippet"]),
		line: Math.max(1, count(lines[0])),
	};
}

function mention(row: Json): NoteRow {
	const path = pathOf(string(row["uri"]));
	const shown = path.slice(path.lastIndexOf("/") + 1).replace(/\.(md|markdown)$/i, "");
	return { path, shown, detail: string(row["text"]), line: Math.max(1, count(row["line"])) };
}

function indexing(value: unknown): Related["indexing"] {
	return isObject(value) ? { done: count(value["done"]), total: count(value["total"]) } : null;
}

function rows(value: unknown): Json[] {
	if (!Array.isArray(value) || !value.every(isObject)) throw new BadReply("a list is missing");
	return value;
}

function names(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function string(value: unknown): string {
	if (typeof value !== "string") throw new BadReply("a text is missing");
	return value;
}

function count(value: unknown): number {
	if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
		throw new BadReply("a number is missing");
	}
	return value;
}
