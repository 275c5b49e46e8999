/** As much of Obsidian's API as the plugin uses: the package has types alone. */

interface Info {
	cls?: string;
	text?: string;
}

/** Obsidian adds these methods to every element. */
export function extendElements(): void {
	const methods: ThisType<HTMLElement> & Record<string, unknown> = {
		empty() {
			this.replaceChildren();
		},
		addClass(name: string) {
			this.classList.add(name);
		},
		createEl(tag: string, info: Info = {}) {
			const element = document.createElement(tag);
			if (info.cls) element.className = info.cls;
			if (info.text !== undefined) element.textContent = info.text;
			this.append(element);
			return element;
		},
		createSpan(info: Info = {}) {
			return this.createEl("span", info);
		},
	};
	Object.assign(HTMLElement.prototype, methods);
}

type Listener = (...args: unknown[]) => void;

export class Events {
	private readonly listeners = new Map<string, Listener[]>();

	on(name: string, listener: Listener): () => void {
		this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
		return () => {
			const others = (this.listeners.get(name) ?? []).filter((other) => other !== listener);
			this.listeners.set(name, others);
		};
	}

	trigger(name: string, ...args: unknown[]): void {
		for (const listener of this.listeners.get(name) ?? []) listener(...args);
	}
}

export class TFile {
	readonly basename: string;
	readonly extension: string;

	constructor(readonly path: string) {
		const [, basename, extension] = /([^/]*)\.([^./]*)$/.exec(path) ?? ["", path, ""];
		this.basename = basename;
		this.extension = extension;
	}
}

export class Leaf {
	readonly opened: { path: string; state: unknown }[] = [];

	constructor(
		readonly app: App,
		readonly kind: unknown = null,
	) {}

	openFile(file: TFile, state: unknown): Promise<void> {
		this.opened.push({ path: file.path, state });
		return Promise.resolve();
	}
}

/** An app whose vault has the given notes and in which `active` is open. Any other call fails. */
export class App {
	readonly leaves: Leaf[] = [];
	readonly metadataCache = new Events();
	active: TFile | null = null;

	readonly workspace = Object.assign(new Events(), {
		getActiveFile: () => this.active,
		getLeaf: (kind: unknown) => {
			const leaf = new Leaf(this, kind);
			this.leaves.push(leaf);
			return leaf;
		},
	});

	readonly vault = Object.assign(new Events(), {
		getFileByPath: (path: string) => (this.paths.includes(path) ? new TFile(path) : null),
	});

	constructor(readonly paths: string[]) {}

	open(path: string | null): void {
		this.active = path === null ? null : new TFile(path);
		this.workspace.trigger("file-open", this.active);
	}
}

export class ItemView {
	readonly contentEl = document.createElement("div");
	readonly app: App;
	navigation = true;
	private readonly cleanups: (() => void)[] = [];

	constructor(readonly leaf: Leaf) {
		this.app = leaf.app;
	}

	registerEvent(cleanup: () => void): void {
		this.cleanups.push(cleanup);
	}

	/** What Obsidian does when it closes a view. */
	unload(): void {
		for (const cleanup of this.cleanups) cleanup();
	}
}

/** The texts of all notices, in order. */
export const notices: string[] = [];

export class Notice {
	constructor(readonly text: string) {
		notices.push(text);
	}
}

export const Keymap = {
	isModEvent: (event: MouseEvent): "tab" | false => (event.ctrlKey ? "tab" : false),
};

export function debounce(call: () => void, pauseMs: number): (() => void) & { cancel(): void } {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const start = (): void => {
		clearTimeout(timer);
		timer = setTimeout(call, pauseMs);
	};
	const cancel = (): void => {
		clearTimeout(timer);
	};
	return Object.assign(start, { cancel });
}

/** Never made in a test; the modules that are tested import them. */
export const PluginSettingTab = Object;
export const Setting = Object;
