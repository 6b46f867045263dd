import { randomBytes } from 'node:crypto';

/** 32 hex digits, as the product family has them: 128 random bits. */
export const newCode = (): string => randomBytes(16).toString('hex');

/** A code as somebody typed or pasted it: upper case, spaces and hyphens do not matter. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]+/g, '').toLowerCase();

export const isCode = (text: string): boolean => /^[0-9a-f]{32}$/.test(plainCode(text));

/** Both ends of a code: enough to find it again, 96 bits too little to redeem it. */
export const codeHint = (code: string): string => `${code.slice(0, 4)}••••••••${code.slice(-4)}`;
