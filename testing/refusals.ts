import { expect } from 'vitest';
import { type TestCaller, tokenOf, userOf } from './callers.ts';
import type { TestHub, upstreamForSuite } from './hub.ts';
import { errorOf, type post } from './relay-calls.ts';

/** Calls that must be refused without any effect on their caller's records. */
export function refusals(hub: () => TestHub, upstream: ReturnType<typeof upstreamForSuite>, caller: () => TestCaller) {
  const db = () => hub().server.deps.db;

  async function state() {
    const who = caller();
    const count = async (table: 'logs' | 'ledger') =>
      Number(
        (
          await db()
            .selectFrom(table)
            .where('user_id', '=', who.userId)
            .select(({ fn }) => fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      );
    const user = await userOf(db(), who);
    const tokens = await tokenOf(db(), who);
    return {
      user,
      tokens,
      open: hub().server.deps.book.openCalls,
      logs: await count('logs'),
      ledger: await count('ledger'),
      sent: upstream().requests.total,
    };
  }

  /** Makes a call that must be refused, and checks that nothing else changed. */
  async function refused(
    call: () => ReturnType<typeof post>,
    status: number,
    code: string,
    says: RegExp,
    param: string | null = null,
  ): Promise<void> {
    const before = await state();
    const answer = await call();
    expect(answer.status).toBe(status);
    const error = errorOf(answer);
    expect(error).toMatchObject({
      code,
      param,
      ...(status === 400 && { type: 'invalid_request_error' }),
      message: expect.stringMatching(says),
    });
    expect(await state()).toEqual(before);
  }

  return { state, refused };
}
