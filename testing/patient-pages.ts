import { patience } from '#quota/book.ts';

/** Vitest setup file: what is read after a call has its settlement, however long the commit takes. */
patience.pageMs = 15_000;
