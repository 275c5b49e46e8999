/** Tests without a page have no `window`, whose timers the plugin uses. */

if (!("window" in globalThis)) Object.defineProperty(globalThis, "window", { value: globalThis });
