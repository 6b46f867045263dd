import type { zh_CN } from './zh_CN.ts';

export type Namespace = keyof typeof zh_CN;

/** The texts of every screen; zh_CN is the source, so a language that lacks one does not compile. */
export type Texts = { [N in Namespace]: Awaited<ReturnType<(typeof zh_CN)[N]>>['texts'] };

export type TextLoaders = { [N in Namespace]: () => Promise<{ texts: Texts[N] }> };
