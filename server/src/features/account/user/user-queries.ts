import { isAdmin, type Self, type UsageDay } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { troubledChannels } from '#features/channel/troubled-channels.ts';
import { unreadCount } from '#features/notification/notification-queries.ts';
import { hasTwoStep, type Viewer } from '#http/session/session.ts';
import { invitationColumns } from './invitation-columns.ts';
import { boundColumns } from '#features/account/identity/bound-ids.ts';

type SelfDeps = Pick<Deps, 'db' | 'hour' | 'live' | 'now' | 'book' | 'storage'>;

/** The account that the viewer acts for; administrators also get the number of troubled channels, and the storage's state. */
export async function getSelf(deps: SelfDeps, { id, role }: Pick<Viewer, 'id' | 'role'>): Promise<Self> {
  const { db } = deps;
  const user = await db
    .selectFrom('users')
    .where('id', '=', id)
    .select(['id', 'username', 'display_name', 'avatar_url', 'status', 'email', 'group', 'used_quota'])
    .select(['request_count', 'created_time', 'last_login_time'])
    .select([...boundColumns])
    .select([...invitationColumns])
    // Credits reserved by calls in progress still count as the user's.
    .select((eb) => eb('quota', '+', eb.ref('held')).as('quota'))
    .executeTakeFirst();
  ensure(user, 'record.not_found');
  return {
    ...user,
    // Of a team's account it is the right that its members have there.
    role,
    troubled_channels: isAdmin(role) ? (await troubledChannels(db, deps)).size : 0,
    storage: isAdmin(role) ? storageState(deps) : 'ok',
    owes_two_step: isAdmin(role) && deps.live.settings.AdminTwoStepRequired && !(await hasTwoStep(id, deps)),
    unread_notifications: await unreadCount(db, { id, role }),
  };
}

function storageState({ book, storage }: SelfDeps): Self['storage'] {
  if (storage.damage.reason !== undefined) return 'damaged';
  return book.isWritable() ? 'ok' : 'full';
}

const DAYS = 8;

/** Usage per day and model for today and the seven days before, from the roll-ups, in the server's time zone. */
export async function usageDays(db: Db, userId: number, now: number): Promise<UsageDay[]> {
  const first = new Date(now * 1000);
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - (DAYS - 1));
  const rows = await db
    .selectFrom('usage_by_user')
    .where('user_id', '=', userId)
    .where('hour', '>=', first.getTime() / 1000)
    .selectAll()
    .execute();
  const days = new Map<string, UsageDay>();
  for (const row of rows) {
    const date = dayOf(row.hour);
    const key = `${date} ${row.model_name}`;
    let day = days.get(key);
    if (!day) {
      day = {
        Date: date,
        ModelName: row.model_name,
        RequestCount: 0,
        Quota: 0,
        PromptTokens: 0,
        CompletionTokens: 0,
        RequestTime: 0,
      };
      days.set(key, day);
    }
    day.RequestCount += row.request_count;
    day.Quota += row.quota;
    day.PromptTokens += row.prompt_tokens;
    day.CompletionTokens += row.completion_tokens;
    day.RequestTime += row.request_time;
  }
  return [...days.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}

/** YYYY-MM-DD in the server's time zone. */
function dayOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
