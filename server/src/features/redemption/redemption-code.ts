import { randomBytes } from 'node:crypto';

/** 32 hex digits (128 random bits), the format of one-hub. */
export const newCode = (): string => randomBytes(16).toString('hex');

/** Normalises a typed or pasted code: case, spaces and hyphens do not matter. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]+/g, '').toLowerCase();

export const isCode = (text: string): boolean => /^[0-9a-f]{32}$/.test(plainCode(text));

/** Both ends of a code: enough to find it, 96 bits short of redeeming it. */
export const codeHint = (code: string): string => `${code.slice(0, 4)}••••••••${code.slice(-4)}`;
