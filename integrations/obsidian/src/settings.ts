/** The plugin's two settings, and the tab that edits them. */

import { type App, type Plugin, PluginSettingTab, Setting } from "obsidian";

import { isObject } from "./connection";

export interface Settings {
	/** The path of the daemon's socket, or "" to find it as `clew` does. */
	socket: string;
	withPrivate: boolean;
}

export const DEFAULTS: Readonly<Settings> = { socket: "", withPrivate: false };

/** Return the settings in what was stored, with the defaults for what is missing or wrong. */
export function settingsFrom(stored: unknown): Settings {
	const fields = isObject(stored) ? stored : {};
	const { socket, withPrivate } = fields;
	return {
		socket: typeof socket === "string" ? socket : DEFAULTS.socket,
		withPrivate: typeof withPrivate === "boolean" ? withPrivate : DEFAULTS.withPrivate,
	};
}

export class SettingsTab extends PluginSettingTab {
	constructor(
		app: App,
		plugin: Plugin,
		private readonly settings: Settings,
		private readonly onChange: () => Promise<void>,
	) {
		super(app, plugin);
	}

	display(): void {
		this.containerEl.empty();
		new Setting(this.containerEl)
			.setName("Socket")
			.setDesc("Path of the daemon's socket. Leave it empty unless the config of clew names one.")
			.addText((field) =>
				field.setValue(this.settings.socket).onChange(async (value) => {
					this.settings.socket = value.trim();
					await this.onChange();
				}),
			);
		new Setting(this.containerEl)
			.setName("Show private notes")
			.setDesc("Only has an effect if the config of clew allows it.")
			.addToggle((field) =>
				field.setValue(this.settings.withPrivate).onChange(async (value) => {
					this.settings.withPrivate = value;
					await this.onChange();
				}),
			);
	}
}
