import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { publishCommands } from '#features/account/telegram/bot-commands.ts';
import { allowedUpdates, readUpdate, updates } from '#features/account/telegram/read-update.ts';
import { type Bot, botOf, callTelegram, TelegramError, webhookPath } from '#features/account/telegram/telegram-api.ts';
import { telegramBot } from '#features/account/telegram/telegram-bot.ts';
import { isFirstNode } from './first-node.ts';

const LOOK_MS = 500;
/** Long-polling timeout. */
const HOLD_S = 25;
const FAILED_PAUSE_MS = 5000;

/** Runs the bot on one of the nodes, following the settings. */
export function watchTelegram(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = run(deps, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) deps.log.error({ err: error }, 'the bot has stopped');
  });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Identifies the bot and its way of receiving messages; a change restarts it. */
const keyOf = (deps: Deps, bot: Bot | undefined): string =>
  bot ? JSON.stringify([bot, deps.live.settings.ServerAddress]) : '';

async function run(deps: Deps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const bot = botOf(deps.live);
    // Two pollers would take each other's messages.
    if (!bot || !(await isFirstNode(deps))) await pause(10 * LOOK_MS, deps, keyOf(deps, bot), stop);
    else await serveBot(deps, bot, stop);
  }
}

/** Runs until the settings change or an error occurs. */
async function serveBot(deps: Deps, bot: Bot, stop: AbortSignal): Promise<void> {
  const key = keyOf(deps, bot);
  const over = new AbortController();
  const watch = setInterval(() => keyOf(deps, botOf(deps.live)) !== key && over.abort(), LOOK_MS);
  watch.unref();
  const signal = AbortSignal.any([stop, over.signal]);
  try {
    if (bot.webhookSecret === '') await ask(deps, bot, signal);
    else await listen(deps, bot, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof TelegramError) deps.log.warn({ reason: error.message }, 'the bot is not reachable');
    else deps.log.error({ err: error }, 'the bot failed');
    await pause(FAILED_PAUSE_MS, deps, key, stop);
  } finally {
    clearInterval(watch);
  }
}

const yes = z.literal(true);

async function ask(deps: Deps, bot: Bot, signal: AbortSignal): Promise<void> {
  await callTelegram(deps, bot, { method: 'deleteWebhook', input: {}, result: yes, signal });
  await publish(deps, bot);
  const dispatcher = telegramBot(deps, bot);
  let offset = 0;
  while (!signal.aborted) {
    const input = { offset, timeout: HOLD_S, allowed_updates: allowedUpdates };
    const timeoutMs = (HOLD_S + 10) * 1000;
    const told = await callTelegram(deps, bot, { method: 'getUpdates', input, result: updates, signal, timeoutMs });
    for (const update of told) {
      const read = readUpdate(update);
      if (read) await dispatcher.answer(read);
      offset = update.update_id + 1;
    }
  }
}

async function listen(deps: Deps, bot: Bot, signal: AbortSignal): Promise<void> {
  const { ServerAddress: site } = deps.live.settings;
  if (site === '') throw new TelegramError('a webhook needs the server address');
  const input = {
    url: site + webhookPath(bot),
    secret_token: bot.webhookSecret,
    allowed_updates: allowedUpdates,
  };
  await callTelegram(deps, bot, { method: 'setWebhook', input, result: yes, signal });
  await publish(deps, bot);
  await sleep(2 ** 31 - 1, undefined, { signal });
}

/** A menu that cannot be set does not stop the bot. */
async function publish(deps: Deps, bot: Bot): Promise<void> {
  try {
    await publishCommands(deps, bot);
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    deps.log.warn({ reason: error.message }, 'the menu of the bot could not be set');
  }
}

/** Waits; returns early if the settings change. */
async function pause(timeMs: number, deps: Deps, key: string, stop: AbortSignal): Promise<void> {
  const end = Date.now() + timeMs;
  while (Date.now() < end && !stop.aborted && keyOf(deps, botOf(deps.live)) === key)
    // Rejects only when stopped, which ends the loop.
    await sleep(LOOK_MS, undefined, { signal: stop, ref: false }).catch(() => undefined);
}
