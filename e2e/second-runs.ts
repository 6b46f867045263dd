import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase } from '@playwright/test/reporter';

/** Prints the tests that failed and then passed at their second run: each is a fault, of the test or the product. */
export default class SecondRuns implements Reporter {
  readonly #flaky = new Map<string, string>();

  onTestEnd(test: TestCase): void {
    if (test.outcome() !== 'flaky') return;
    const [, , file, ...titles] = test.titlePath();
    const [reason = ''] = stripVTControlCharacters(test.results[0]?.error?.message ?? '').split('\n', 1);
    this.#flaky.set(test.id, `  ${file} › ${titles.join(' › ')}\n    ${reason}\n`);
  }

  onEnd(): void {
    if (this.#flaky.size === 0) return;
    process.stdout.write(`\nFAULT: passed only at the second run:\n${[...this.#flaky.values()].join('')}`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
