import { textIn, wholeIn } from '../old-row.ts';
import type { OldWorld } from './old-world.ts';

/** Running subscriptions of new-api: credits outside of the balance, and a group that ends with them. */
export async function remarkSubscriptions({ database, report }: OldWorld): Promise<void> {
  for await (const row of database.rows('user_subscriptions')) {
    if (textIn(row, 'status') !== 'active') continue;
    const left = Math.max(0, wholeIn(row, 'amount_total') - wholeIn(row, 'amount_used'));
    const until = new Date(wholeIn(row, 'end_time') * 1000).toISOString().slice(0, 10);
    const group = textIn(row, 'prev_user_group');
    report.remark(
      'subscription',
      `user ${wholeIn(row, 'user_id')}: ${left} credits until ${until}${group === '' ? '' : `, group ${group} afterwards`}`,
    );
  }
}
