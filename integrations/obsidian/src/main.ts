/** The plugin: one connection to the daemon, one pane, one command, two settings. */

import { FileSystemAdapter, Plugin } from "obsidian";

import { Daemon } from "./daemon";
import { DEFAULTS, type Settings, settingsFrom, SettingsTab } from "./settings";
import { RelatedView, VIEW_TYPE } from "./view";

export default class ClewPlugin extends Plugin {
	private readonly settings: Settings = { ...DEFAULTS };
	private daemon: Daemon | null = null;

	async onload(): Promise<void> {
		Object.assign(this.settings, settingsFrom(await this.loadData()));
		const { adapter } = this.app.vault;
		if (!(adapter instanceof FileSystemAdapter)) return; // a vault that is no folder of this machine
		const folder = adapter.getBasePath();
		const daemon = new Daemon(folder, () => this.settings.socket);
		this.daemon = daemon;
		const host = { folder, ask: daemon.ask, withPrivate: () => this.settings.withPrivate };
		this.registerView(VIEW_TYPE, (leaf) => new RelatedView(leaf, host));
		this.addCommand({ id: "show-related", name: "Show related notes", callback: () => void this.reveal() });
		this.addRibbonIcon("waypoints", "Show related notes", () => void this.reveal());
		this.addSettingTab(new SettingsTab(this.app, this, this.settings, () => this.applySettings()));
	}

	onunload(): void {
		this.daemon?.close();
	}

	private async applySettings(): Promise<void> {
		await this.saveData(this.settings);
		this.daemon?.disconnect();
		for (const leaf of this.app.workspace.getLeavesOfType(VIEW_TYPE)) {
			if (leaf.view instanceof RelatedView) await leaf.view.refresh();
		}
	}

	private async reveal(): Promise<void> {
		const { workspace } = this.app;
		const leaf = workspace.getLeavesOfType(VIEW_TYPE)[0] ?? workspace.getRightLeaf(false);
		if (!leaf) return;
		await leaf.setViewState({ type: VIEW_TYPE, active: true });
		await workspace.revealLeaf(leaf);
	}
}
