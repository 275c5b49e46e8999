// @vitest-environment jsdom
/** The pane: what it shows, when it asks, what a click opens, and that it never makes a note. */

import type { WorkspaceLeaf } from "obsidian";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import type { Json } from "../src/connection";
import { BadReply, NoDaemon, Refusal } from "../src/errors";
import { RelatedView } from "../src/view";
import { App, extendElements, Leaf, notices } from "./obsidian";

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;

type Answer = (method: string, params: Json) => Json | Error | Promise<Json>;

const REPLIES: Record<string, Json> = {
	concept: {
		directRelations: [{ name: "m2", displayName: "M2", fileCount: 2 }],
		communitySiblings: [{ name: "swell", displayName: "Swell", sharedNeighborCount: 3 }],
	},
	search: {
		results: [
			{ uri: "memory://a/Tide.md", title: "Tide", snippet: "itself", lines: [1, 2] },
			{ uri: "memory://b/%E6%BD%AE%20%231.md", title: "潮", snippet: HOSTILE, lines: [7, 9] },
		],
		degraded: [],
	},
	backlinks: { mentions: [{ uri: "memory://c.md", line: 4, text: HOSTILE }], mentionCount: 3 },
	links: { uri: "memory://M2.md" },
};

let app: App;
let view: RelatedView;
let answer: Answer;
let asked: { method: string; params: Json }[];
let withPrivate = false;

beforeAll(extendElements);

beforeEach(() => {
	vi.useFakeTimers();
	app = new App(["a/Tide.md", "b/潮 #1.md", "c.md", "M2.md"]);
	app.active = null;
	asked = [];
	withPrivate = false;
	notices.length = 0;
	answer = (method) => REPLIES[method] ?? {};
	const ask = async (method: string, params: Json): Promise<Json> => {
		asked.push({ method, params });
		const reply = await answer(method, params);
		if (reply instanceof Error) throw reply;
		return reply;
	};
	const host = { folder: "/my/o'notes", ask, withPrivate: () => withPrivate };
	view = new RelatedView(new Leaf(app) as unknown as WorkspaceLeaf, host);
});

afterEach(() => {
	vi.useRealTimers();
});

const pane = (): HTMLElement => view.contentEl;
const text = (): string => pane().textContent;
const texts = (selector: string): string[] => [...pane().querySelectorAll(selector)].map((found) => found.textContent);
const methods = (): string[] => asked.map(({ method }) => method);
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

async function openPane(path: string | null): Promise<void> {
	app.open(path);
	await view.onOpen();
	await settle();
}

async function click(shown: string, init: MouseEventInit = {}): Promise<void> {
	const button = [...pane().querySelectorAll("button")].find((found) => found.textContent.startsWith(shown));
	if (!button) throw new Error(`nothing is called ${shown}`);
	button.dispatchEvent(new MouseEvent("click", init));
	await settle();
}

describe("what is shown", () => {
	it("has the four lists, without the note itself", async () => {
		await openPane("a/Tide.md");
		expect(texts("h6")).toEqual(["Related concepts", "Siblings", "Similar notes", "Unlinked mentions"]);
		expect(texts(".clew-name")).toEqual(["M2", "Swell", "潮", "c"]);
		expect(text()).toContain("And 2 more.");
	});

	it("has the text of notes as text", async () => {
		await openPane("a/Tide.md");
		expect(texts(".clew-detail").filter((found) => found === HOSTILE)).toHaveLength(2);
		expect(pane().querySelector("img, script, a")).toBeNull();
	});

	it("says that there is nothing", async () => {
		answer = (method) =>
			({
				concept: { directRelations: [], communitySiblings: [] },
				search: { results: [], degraded: ["semantic"] },
				backlinks: { mentions: [], mentionCount: 0 },
			})[method] ?? {};
		await openPane("a/Tide.md");
		expect(texts(".clew-detail").filter((found) => found === "None")).toHaveLength(4);
		expect(text()).toContain("Not working now: semantic.");
	});

	it.each([null, "drawing.canvas", "photo.png"])("is a hint for %s, without a request", async (path) => {
		await openPane(path);
		expect(text()).toBe("Open a note to see what is related to it.");
		expect(asked).toEqual([]);
	});

	it("is the last note, if an earlier one is answered later", async () => {
		let finish: (reply: Json) => void = () => undefined;
		const late = new Promise<Json>((done) => (finish = done));
		answer = (method, params) => (params["conceptName"] === "memory://c.md" ? late : (REPLIES[method] ?? {}));
		app.open("c.md");
		const opening = view.onOpen();
		await settle();
		app.open("a/Tide.md");
		await settle();
		finish(REPLIES["concept"] ?? {});
		await opening;
		expect(texts(".clew-title")).toEqual(["Tide"]);
	});
});

describe("what is asked", () => {
	it("names the note by its URI, and its name as plain words", async () => {
		await openPane('b/-tag:x "潮" #1%.md');
		const uri = "memory://b/-tag%3Ax%20%22%E6%BD%AE%22%20%231%25.md";
		expect(asked[0]?.params).toMatchObject({ conceptName: uri });
		expect(asked.find(({ method }) => method === "search")?.params).toMatchObject({ query: "tag x 潮 #1" });
	});

	it("does not search by a name without words", async () => {
		await openPane("b/---.md");
		expect(methods()).toEqual(["concept", "backlinks"]);
	});

	it("shows the rest if the name holds stop words alone", async () => {
		answer = (method) => (method === "search" ? new Refusal("no words", "invalidParams", "") : (REPLIES[method] ?? {}));
		await openPane("the.md");
		expect(texts(".clew-name")).toEqual(["M2", "Swell", "c"]);
	});

	it("has private notes only if they are wanted", async () => {
		await openPane("a/Tide.md");
		expect(asked.every(({ params }) => !("includePrivate" in params))).toBe(true);
		withPrivate = true;
		asked = [];
		await view.refresh();
		expect(asked.every(({ params }) => params["includePrivate"] === "ifAllowed")).toBe(true);
	});

	it("is asked again once after edits of this note, and waits for them", async () => {
		await openPane("a/Tide.md");
		asked = [];
		for (let edits = 0; edits < 9; edits++) app.metadataCache.trigger("changed", { path: "a/Tide.md" });
		app.metadataCache.trigger("changed", { path: "c.md" });
		await vi.advanceTimersByTimeAsync(2_000);
		expect(methods()).toEqual(["concept", "backlinks", "search"]);
		expect(asked[0]?.params).toMatchObject({ waitFor: ["memory://a/Tide.md"] });
	});

	it("is nothing after the pane was closed", async () => {
		answer = () => new NoDaemon("gone");
		await openPane("a/Tide.md");
		app.metadataCache.trigger("changed", { path: "a/Tide.md" });
		await view.onClose();
		asked = [];
		await vi.advanceTimersByTimeAsync(600_000);
		expect(asked).toEqual([]);
	});
});

describe("a click", () => {
	it("opens a note at its line", async () => {
		await openPane("a/Tide.md");
		await click("潮");
		await click("c");
		expect(app.leaves.map((leaf) => leaf.opened[0])).toEqual([
			{ path: "b/潮 #1.md", state: { eState: { line: 6 } } },
			{ path: "c.md", state: { eState: { line: 3 } } },
		]);
	});

	it("with the modifier key opens a tab", async () => {
		await openPane("a/Tide.md");
		await click("潮", { ctrlKey: true });
		expect(app.leaves[0]?.kind).toBe("tab");
	});

	it("opens the note of a concept", async () => {
		await openPane("a/Tide.md");
		await click("M2");
		expect(asked.at(-1)).toEqual({ method: "links", params: { uri: "concept://m2", limit: 1 } });
		expect(app.leaves[0]?.opened[0]?.path).toBe("M2.md");
	});

	it("makes no note for a concept without one, nor for a note that is gone", async () => {
		await openPane("a/Tide.md");
		answer = () => new Refusal("no note", "notFound", "");
		await click("M2");
		app.paths.length = 0;
		await click("潮");
		expect(app.leaves).toEqual([]);
		expect(notices).toEqual(['No note is named "M2" yet.', "There is no note b/潮 #1.md any more."]);
	});

	it("says so if the daemon is gone", async () => {
		await openPane("a/Tide.md");
		answer = () => new NoDaemon("gone");
		await click("M2");
		expect(notices).toEqual(["No clew daemon answers for this vault."]);
	});
});

describe("without a daemon", () => {
	it("the pane says how to start one, and shows the note once there is one", async () => {
		answer = () => new NoDaemon("nothing listens at /s.sock");
		await openPane("a/Tide.md");
		expect(texts(".clew-command")).toEqual(["clew start --vault '/my/o'\\''notes'"]);
		expect(text()).toContain("nothing listens at /s.sock.");
		answer = (method) => REPLIES[method] ?? {};
		await vi.advanceTimersByTimeAsync(1_000);
		expect(texts(".clew-title")).toEqual(["Tide"]);
	});

	it("it is tried less and less often, and at once on a click", async () => {
		answer = () => new NoDaemon("gone");
		await openPane("a/Tide.md");
		await vi.advanceTimersByTimeAsync(600_000);
		const tries = asked.length / 3;
		expect(tries).toBeGreaterThan(10);
		expect(tries).toBeLessThan(20);
		answer = (method) => REPLIES[method] ?? {};
		await click("Try again");
		expect(texts(".clew-title")).toEqual(["Tide"]);
	});
});

const ERRORS: [Error, string][] = [
	[new Refusal("no note", "notFound", ""), "does not have this note"],
	[new Refusal("too many", "busy", "later"), "Clew refused: too many (later)"],
	[new BadReply("a line is no reply"), "not a clew of this version: a line is no reply."],
	[new TypeError("odd"), "Something failed: TypeError: odd"],
];

describe("errors", () => {
	it.each(ERRORS)("are shown: %s", async (error, expected) => {
		answer = () => error;
		await openPane("a/Tide.md");
		expect(text()).toContain(expected);
	});

	it.each([
		["notFound", 0],
		["invalidParams", 0],
		["notReady", 1],
		["timeout", 1],
		["vaultUnavailable", 1],
	])("%s is asked about again %i times without a change", async (code, tries) => {
		answer = () => new Refusal("", code, "");
		await openPane("a/Tide.md");
		asked = [];
		await vi.advanceTimersByTimeAsync(1_500);
		expect(methods().filter((method) => method === "concept")).toHaveLength(tries);
	});

	it.each([
		["concept", { directRelations: "all", communitySiblings: [] }],
		["concept", { directRelations: [{ name: 1 }], communitySiblings: [] }],
		["concept", { directRelations: [null], communitySiblings: [] }],
		["search", { results: [{ uri: "file:///etc/passwd", title: "", snippet: "", lines: [1, 1] }] }],
		["search", { results: [{ uri: "memory://%E0%A4%A", title: "", snippet: "", lines: [1, 1] }] }],
		["search", { results: [{ uri: "memory://a.md", title: "", snippet: "", lines: [-1, 1e99] }] }],
		["backlinks", { mentions: [{ uri: "memory://a.md", line: "4", text: "" }], mentionCount: 1 }],
		["backlinks", {}],
	])("are replies of another shape: %s %j", async (method, reply) => {
		answer = (other) => (other === method ? reply : (REPLIES[other] ?? {}));
		await openPane("a/Tide.md");
		expect(text()).toContain("not a clew of this version");
	});

	it("a first index is shown and asked about again until it is done", async () => {
		const reply = { ...REPLIES["concept"], indexing: { done: 3, total: 9 } };
		answer = (method) => (method === "concept" ? reply : (REPLIES[method] ?? {}));
		await openPane("a/Tide.md");
		expect(text()).toContain("3 of 9");
		answer = (method) => REPLIES[method] ?? {};
		await vi.advanceTimersByTimeAsync(5_000);
		expect(text()).not.toContain("3 of 9");
	});
});
