/** Path of this hub below its domain, such as `/hub`; empty at the root. The server writes it into the page. */
export const basePath = globalThis.document?.documentElement.dataset['base'] ?? '';

/** The address of a path of this hub, such as `/api/status` or `/panel`; other addresses are returned unchanged. */
export const atBase = (address: string): string => (/^\/(?!\/)/.test(address) ? basePath + address : address);
