import type { Db } from '#db/tables.ts';
import type { LiveGuardRule } from '#guard/guard.ts';
import { patternsOf } from '#guard/guard-patterns.ts';

/** Enabled guardrails, in the order of their ids. */
export class GuardRules {
  #rules: readonly LiveGuardRule[] = [];

  async load(db: Db): Promise<void> {
    const rows = await db.selectFrom('guard_rules').selectAll().where('enabled', '=', true).orderBy('id').execute();
    this.#rules = rows.map(({ kinds, patterns, ...rule }) => ({
      ...rule,
      patterns: patternsOf({ kinds, patterns }),
      effect: JSON.stringify([rule.action, kinds, patterns, rule.hook]),
    }));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** The rules for calls of a token in a group. */
  for(group: string, tokenId: number): readonly LiveGuardRule[] {
    return this.#rules.filter(
      ({ groups, token_ids: tokens }) =>
        (groups.length === 0 || groups.includes(group)) && (tokens.length === 0 || tokens.includes(tokenId)),
    );
  }
}
