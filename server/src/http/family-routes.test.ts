import { newApi, role } from '@relay-hub/contract';
import { declarationOf } from '@relay-hub/contract/registry';
import { beforeAll, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { type FamilyCaller, familyRoutes, laterRoutes } from '#testing/family-routes.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const pathOf = (route: string): [method: string, path: string] => {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/:status$/, 'enable').replace(/[:*]\w+/g, '987654321');
  return [method === 'ANY' ? 'POST' : method, filled];
};

onOneDatabase('routes of one-hub', (make) => {
  const hub = hubForSuite(make);
  const clients = new Map<FamilyCaller, ApiClient>();

  beforeAll(async () => {
    clients.set('anyone', new ApiClient(hub().url));
    clients.set('user', (await addPerson(hub())).client);
    clients.set('admin', (await addPerson(hub(), { role: role.admin })).client);
    clients.set('root', (await addPerson(hub(), { role: role.root })).client);
  });

  /** Status and text of the answer, whatever its form. */
  const ask = async (route: string, who: FamilyCaller) => {
    const [method, path] = pathOf(route);
    const response = await fetch(hub().url + path, {
      method,
      headers: {
        cookie: clients.get(who)?.cookie ?? '',
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
      },
      ...(method !== 'GET' && { body: '{}' }),
    });
    return { status: response.status, text: await response.text() };
  };
  /** Routes of features that are not configured here; they answer 404 like unknown ones. */
  const closed = new Set(['GET /api/metrics', 'POST /api/telegram/:token', 'GET /api/token/playground']);
  const isUnknown = ({ status, text }: { status: number; text: string }) =>
    status === 404 && (text.includes('route.unknown') || text.includes('Invalid URL') || text.includes('<html'));

  // Last, because it ends the session.
  const inOrder = familyRoutes.toSorted(([a], [b]) => Number(a.endsWith('/logout')) - Number(b.endsWith('/logout')));

  test.each(inOrder)('%s is there for %s, and for nobody below', async (route, who) => {
    const wanted = await ask(route, who === 'key' ? 'anyone' : who);
    if (closed.has(route)) expect(wanted.status).toBe(404);
    else expect(isUnknown(wanted), wanted.text).toBe(false);
    if (who === 'key') expect(wanted.status).toBe(401);
    if (who === 'anyone' || who === 'key') return;
    expect([401, 403]).not.toContain(wanted.status);
    expect((await ask(route, 'anyone')).status).toBe(401);
    if (who !== 'user') expect((await ask(route, 'user')).status).toBe(403);
    if (who === 'root') expect((await ask(route, 'admin')).status).toBe(403);
  });

  test.each(laterRoutes)('the later %s is there, or absent for a reason', async (route, absent) => {
    const { status, text } = await ask(route, 'root');
    // An absent path outside of /api is a page of the console, or not found without one.
    const isAbsent = (status === 404 && !text.includes('record.not_found')) || /^\s*<!doctype|console/i.test(text);
    expect(isAbsent, text).toBe(absent !== undefined);
    if (isAbsent && route.includes(' /api/')) expect(text).toContain('route.absent');
  });
});

test('docs/family-routes.md says what the table says', async () => {
  const rows = familyRoutes.map(([route, who, difference]) => {
    const kind = difference === undefined ? 'same' : 'on purpose';
    return `| \`${route}\` | ${who} | ${kind} | ${difference ?? ''} |`;
  });
  const later = laterRoutes.map(([route, absent]) => {
    return `| \`${route}\` | ${absent === undefined ? 'same' : 'not'} | ${absent ?? ''} |`;
  });
  const newApiPaths = [
    ...Object.values(newApi).map((endpoint) => declarationOf(endpoint)),
    { method: 'GET', path: '/api/usage/token', summary: 'The quota of the key' },
    { method: 'GET', path: '/api/log/token', summary: 'The last 100 rows of the key; it may be in the query as `key`' },
  ].map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`);
  for (const [route, , difference] of familyRoutes) expect(difference, route).not.toBe('');
  const page = `# Routes of one-hub

What a console or script that was written for one-hub 0.14.8 finds here. *Same*: it notices no difference, apart from
those below. *On purpose*: the reason is beside it. Nothing of that version is absent. The page is made by
\`server/src/http/family-routes.test.ts\` from a table, after calling each route as each kind of caller.

Everywhere: a refusal has a status that fits, and a \`code\` beside its message; in family mode it has 200 as in one-hub.
Secrets are masked in every answer. Cookies of sessions count only for requests of this site's own pages. The reasons are
in decision [0045](decisions/0045-family-mode.md).

| route | for | | difference |
|---|---|---|---|
${rows.join('\n')}

## Routes of new-api

Tools of new-api find these with its names and units. Quotas are credits, 500,000 to the dollar; \`{mode, channel}\` is
taken as the body of a new channel. \`newApi\` in the contract declares the routes that need a session or an access token;
the last two take the API key.

| route | |
|---|---|
${newApiPaths.join('\n')}

## Later versions of the family

| route | | instead, or why not |
|---|---|---|
${later.join('\n')}
`;
  await expect(page).toMatchFileSnapshot('../../../docs/family-routes.md');
});
