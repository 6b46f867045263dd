import { redemptionApi, userApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import type { TestHub } from '#testing/hub.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

const unknown = (n: number): string => n.toString(16).padStart(32, '0');

const ask = async (person: TestPerson, n: number): Promise<number> =>
  (await person.client.try(redemptionApi.redeem, { body: { key: unknown(n) } })).status;

const makeCode = async ({ root }: TestHub): Promise<string> =>
  (await root.call(redemptionApi.create, { body: { name: 'real', quota: 5 } }))[0]!;

onEveryDatabase('guessing codes', (make) => {
  const hub = hubForSuite(make);

  test('ends after twenty unknown ones of an account, even with a good one', async () => {
    const person = await addPerson(hub());
    for (let n = 0; n < 25; n++) expect(await ask(person, n)).toBe(n < 20 ? 404 : 429);
    const good = await makeCode(hub());
    const { status, headers, body } = await person.client.try(redemptionApi.redeem, { body: { key: good } });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1100);
    expect(body).toMatchObject({ success: false, code: 'request.too_many' });
    expect((await person.client.call(userApi.self)).quota).toBe(0);

    const other = await addPerson(hub());
    expect(await other.client.call(redemptionApi.redeem, { body: { key: good } })).toBe(5);
  });

  test('ends after sixty from one address over all accounts; known codes do not count', async () => {
    const known = await makeCode(hub());
    const holder = await addPerson(hub());
    await holder.client.call(redemptionApi.redeem, { body: { key: known } });
    const again = Array.from({ length: 100 }, () => holder.client.try(redemptionApi.redeem, { body: { key: known } }));
    expect((await Promise.all(again)).every(({ status }) => status === 409)).toBe(true);

    const people = [await addPerson(hub()), await addPerson(hub()), await addPerson(hub())];
    // Concurrently: attempts in progress when the limit is reached are refused too.
    const tries = people.flatMap((person) => Array.from({ length: 20 }, (_, n) => ask(person, n)));
    const answers = await Promise.all(tries);
    // Twenty of the sixty belong to the other test.
    expect(answers.filter((status) => status === 404)).toHaveLength(40);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
    const { status } = await holder.client.try(redemptionApi.redeem, { body: { key: known } });
    expect(status).toBe(429);
  });
});
