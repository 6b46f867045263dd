import type { BrowserContext, Page } from '@playwright/test';
import type { TaskBehaviour } from '../testing/upstream-simulator/task-services.ts';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { choose, copiedText, recordToasts } from './page-helpers.ts';
import { phone } from './parts.ts';

/** Image, music and lyrics tasks from submission to result, with simulated services. */

const painter = { username: 'painter', password: 'a-password-of-a-painter' };

interface Tasks {
  /** Submits with the painter's key. */
  submit(path: string, body: object): Promise<void>;
}

/** A separate hub: tasks of other tests would be in the same lists. */
const test = base.extend<object, { hub: Hub; tasks: Tasks }>({
  hub: [newHub(), { scope: 'worker' }],
  tasks: [
    async ({ hub, upstream }, use) => {
      const root = await callsOf(hub);
      const done = async (path: string, data: object) => {
        expect(await (await root.post(path, { data })).json(), path).toMatchObject({ success: true });
      };
      const channel = { base_url: upstream.url, key: 'a-secret' };
      await done('/api/channel/', { ...channel, type: 34, name: 'painters', models: 'mj_imagine,mj_upscale' });
      await done('/api/channel/', { ...channel, type: 41, name: 'singers', models: 'chirp-v3-5,suno_lyrics' });
      await done('/api/user/', { ...painter, group: 'default', quota: 5_000_000 });
      await root.dispose();
      const own = await callsOf(hub, painter);
      const made = await own.post('/api/token/', { data: { name: 'brush', unlimited_quota: true } });
      const { data } = (await made.json()) as { data: { key: string } };
      await own.dispose();
      await use({
        async submit(path, body) {
          const answer = await fetch(hub.url + path, {
            method: 'POST',
            headers: { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          expect(answer.status, await answer.text()).toBe(200);
        },
      });
    },
    { scope: 'worker' },
  ],
});

test.describe.configure({ mode: 'serial' });

const steps = (...each: NonNullable<TaskBehaviour['steps']>): TaskBehaviour => ({ steps: each });
const done = steps({ status: 'SUCCESS', progress: 100 });

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="teal"/></svg>`;
const silence = Buffer.concat([
  Buffer.from('524946461c7d000057415645666d74201000000001000100401f0000401f00000100080064617461007d0000', 'hex'),
  Buffer.alloc(32_000, 128),
]);

/** A page whose pictures and songs come from here: the simulated services only name them. */
async function openAs(context: BrowserContext, hub: Hub, who: object = painter): Promise<Page> {
  await recordToasts(context);
  await signIn(context, hub, who as typeof painter);
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.route(/cdn\.example|\/mj\/image\/|\/media\//, (route) =>
    route.request().resourceType() === 'media' || route.request().url().includes('.mp3')
      ? route.fulfill({ contentType: 'audio/wav', body: silence })
      : route.fulfill({ contentType: 'image/svg+xml', body: svg }),
  );
  return page;
}

const view = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const status = (page: Page) => page.getByRole('status').filter({ hasText: /: (?:Done|Failed)/ });

test('an image task appears, moves and ends without reload, and is opened, continued and asked for its seed', async ({
  context,
  hub,
  upstream,
  tasks,
}) => {
  const page = await openAs(context, hub);
  await page.goto('/panel/midjourney');
  await expect(page.getByText('No image tasks yet')).toBeVisible();
  await expect(page.getByRole('group', { name: 'Example request' })).toContainText('/mj/submit/imagine');

  upstream.tasks.next(
    steps({ status: 'SUBMITTED' }, { status: 'IN_PROGRESS', progress: 50 }, { status: 'SUCCESS', progress: 100 }),
  );
  await tasks.submit('/mj/submit/imagine', { prompt: 'a lighthouse' });
  const running = page.getByRole('region', { name: 'Running' });
  await expect(running.getByRole('button', { name: 'a lighthouse' })).toBeVisible();
  await expect(running.getByText('$0.10 charged, returned if a task fails')).toBeVisible();
  const bar = running.getByRole('progressbar', { name: 'Progress of a lighthouse' });
  await expect(bar).toHaveAttribute('aria-valuenow', '50');
  await expect(status(page)).toHaveText('a lighthouse: Done');
  await expect(running).toBeHidden();

  await page.getByRole('button', { name: 'a lighthouse' }).click();
  const open = view(page, 'a lighthouse');
  await expect(open.getByRole('img', { name: 'a lighthouse' })).toHaveJSProperty('naturalWidth', 300);
  await expect(open.getByText('a lighthouse (en)')).toBeVisible();
  await open.getByRole('button', { name: 'Get seed' }).click();
  await expect(open.getByText('4242')).toBeVisible();

  upstream.tasks.next(done);
  await open.getByRole('button', { name: 'U1', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Send “U1”?' });
  await expect(question.getByText('with the token brush and charged')).toBeVisible();
  await question.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(question).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(open).toBeHidden();
  await expect(page).not.toHaveURL(/[?&]id=/);
  await expect(page.getByRole('list', { name: 'Image tasks' }).getByText('Upscale')).toBeVisible();
  await expect(page.getByText(/^2 tasks · \$/)).toBeVisible();
});

test('a failure says why and that the credits were returned, and arrow keys go through the tasks', async ({
  context,
  hub,
  upstream,
  tasks,
}) => {
  upstream.tasks.next(steps({ status: 'FAILURE', failReason: 'a person is named' }));
  await tasks.submit('/mj/submit/imagine', { prompt: 'somebody famous' });
  const page = await openAs(context, hub);
  await page.goto('/panel/midjourney');
  const gallery = page.getByRole('list', { name: 'Image tasks' });
  await expect(gallery.getByText('refunded $0.10')).toBeVisible();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });

  await gallery.getByRole('button', { name: 'somebody famous' }).focus();
  await page.keyboard.press('Enter');
  const failed = view(page, 'somebody famous');
  // The ledger below repeats the reason once it is loaded.
  await expect(failed.getByRole('paragraph').filter({ hasText: 'a person is named' })).toBeVisible();
  await expect(failed.getByText('Credits returned: $0.10.')).toBeVisible();
  await expect(failed.getByText('$0.10 returned to the balance')).toBeVisible();
  // The charge and its return.
  await expect(failed.getByRole('region', { name: 'Balance changes' }).getByRole('link')).toHaveCount(2);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(view(page, 'a lighthouse').getByText('Imagine · fast')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next picture' })).toBeHidden();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(failed).toBeVisible();
  await failed.getByRole('link', { name: 'Charge in the log' }).click();
  await expect(page).toHaveURL(/\/panel\/log\?request_id=/);
});

test('administrators see user and channel, find tasks by filters, and the table is remembered', async ({
  context,
  hub,
}) => {
  const page = await openAs(context, hub, { username: 'root', password: hub.rootPassword });
  await page.goto('/panel/midjourney');
  await choose(page.getByRole('radio', { name: 'List' }), { force: true });
  const row = page.getByRole('row', { name: /a lighthouse/ });
  await expect(row.filter({ hasText: 'Imagine' })).toContainText('painter');
  await expect(row.getByRole('link', { name: 'painters' }).first()).toBeVisible();
  await page.reload();
  await expect(row.first()).toBeVisible();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });

  await page.goto('/panel/midjourney?status=FAILURE');
  await expect(page.getByRole('row', { name: /somebody famous/ })).toBeVisible();
  await expect(row).toHaveCount(0);
  await page.goto('/panel/midjourney?action=UPSCALE&username=painter');
  await expect(page.getByRole('row')).toHaveCount(2);
  await choose(page.getByRole('radio', { name: 'Mine' }), { force: true });
  await expect(page).toHaveURL(/username=root/);
  await expect(page.getByRole('table').getByText('No results')).toBeVisible();

  // Only the owner can continue; others copy the request.
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/panel/midjourney?action=IMAGINE&status=SUCCESS');
  await row.first().getByText('a lighthouse').click();
  await view(page, 'a lighthouse').getByRole('button', { name: 'U1', exact: true }).click();
  expect(await copiedText(page, /mj\/submit\/action/)).toContain('"customId": "MJ::JOB::upsample::1');
});

test('both songs of a music task play, one at a time, beside their list', async ({ context, hub, upstream, tasks }) => {
  const page = await openAs(context, hub);
  await page.goto('/panel/task');
  await expect(page.getByText('No async tasks yet')).toBeVisible();
  upstream.tasks.next(done, steps({ status: 'FAILURE', failReason: 'no account' }));
  await tasks.submit('/suno/submit/music', { gpt_description_prompt: 'about trains', mv: 'chirp-v3-5' });
  await tasks.submit('/suno/submit/lyrics', { prompt: 'about ships' });
  const song = page.getByRole('row', { name: /A song/ });
  await expect(song.getByText('Done')).toBeVisible();
  await expect(page.getByRole('row', { name: /no account/ }).getByText('refunded')).toBeVisible();

  await song.click();
  const detail = view(page, 'A song');
  await expect(detail.getByText('Song 1 of 2')).toBeVisible();
  await detail.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(detail.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect
    .poll(() => detail.getByRole('slider', { name: 'Position' }).inputValue(), 'position of the song')
    .not.toBe('0');
  await detail.getByRole('button', { name: 'Play Song 2' }).click();
  await expect(detail.getByText('Song 2 of 2')).toBeVisible();
  expect(await page.locator('audio').evaluateAll((all) => all.length)).toBe(1);
  // Away from the row that took the place of the other, whose tooltip axe would find.
  await page.mouse.move(0, 0);
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await detail.getByRole('tab', { name: 'Raw response' }).click();
  await expect(detail.getByRole('group', { name: 'Raw response' })).toContainText('"status": "SUCCESS"');
  // Arrow keys walk the list; a filter by platform keeps it.
  await detail.getByRole('button', { name: 'Previous row' }).click();
  await expect(view(page, 'about ships')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto('/panel/task?platform=kling');
  await expect(page.getByRole('table').getByText('No results')).toBeVisible();
});

test('on a phone tasks are cards, and an open one fills the screen', async ({ context, hub }) => {
  const page = await openAs(context, hub);
  await page.setViewportSize(phone);
  await page.goto('/panel/midjourney');
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await choose(page.getByRole('radio', { name: 'List' }), { force: true });
  const card = page.getByRole('listitem', { name: 'somebody famous' });
  await expect(card.getByText('a person is named')).toBeVisible();
  await card.click();
  await expect(view(page, 'somebody famous').getByText('Credits returned: $0.10.')).toBeInViewport();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.goto('/panel/task');
  await page.getByRole('listitem', { name: 'A song' }).click();
  await expect(view(page, 'A song').getByRole('slider', { name: 'Position' })).toBeInViewport();
  await isFineInEitherTheme(page);
});
