import { lineIn, textIn } from '../old-row.ts';
import type { OldWorld } from './old-world.ts';

/** Running subscriptions of new-api: credits outside of the balance, and a group that ends with them. */
export async function remarkSubscriptions({ database, report }: OldWorld): Promise<void> {
  for await (const row of database.rows('user_subscriptions')) {
    if (textIn(row, 'status') !== 'active') continue;
    const left = Math.max(0, Number(textIn(row, 'amount_total')) - Number(textIn(row, 'amount_used')));
    const ends = new Date(Number(textIn(row, 'end_time')) * 1000);
    const until = Number.isNaN(ends.getTime()) ? lineIn(row, 'end_time', 30) : ends.toISOString().slice(0, 10);
    const group = lineIn(row, 'prev_user_group', 50);
    report.remark(
      'subscription',
      `user ${lineIn(row, 'user_id', 30)}: ${left} credits until ${until}${group === '' ? '' : `, group ${group} afterwards`}`,
    );
  }
}
