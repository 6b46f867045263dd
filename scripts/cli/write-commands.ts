import {
  type Channel,
  channelApi,
  channelStatus,
  splitList,
  tokenApi,
  tokenStatus,
  userAdminApi,
  userStatus,
} from '@relay-hub/contract';
import { flag, readCommand, text, whole } from '../../server/src/process/command-line.ts';
import { all, CliError, connect, type HubClient, hubOptions, plain, Refusal } from './hub-client.ts';
import { type Cell, moneyOf, say, sayJson, table, timeText } from './output.ts';

const json = flag('print JSON');

/** An action of a command, such as `disable` of `keys`. `objects`: as the usage names them; empty: none. */
interface Action<Given> {
  about: string;
  objects: string;
  run(hub: HubClient, given: Given, objects: readonly string[]): Promise<number>;
}

type Actions<Given> = Readonly<Record<string, Action<Given>>>;

const usageOf = <Given>(actions: Actions<Given>): string =>
  Object.entries(actions)
    .map(([name, { about, objects }]) => `  ${`${name} ${objects}`.trim().padEnd(22)} ${about}`)
    .join('\n');

/** Runs the action that the first argument names; `list` without one. */
async function act<Given extends { others: string[] }>(
  actions: Actions<Given>,
  hub: HubClient,
  given: Given,
): Promise<number> {
  const [name = 'list', ...objects] = given.others;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new CliError(`There is no action ${plain(name)}; there are ${Object.keys(actions).join(', ')}.`);
  if ((action.objects === '') !== (objects.length === 0))
    throw new CliError(action.objects === '' ? `${name} takes no arguments.` : `${name} needs ${action.objects}.`);
  return action.run(hub, given, objects);
}

/** Does something for each object, and goes on after a refusal. Exit status 1 if there was one. */
async function each(
  objects: readonly string[],
  done: string,
  work: (object: string) => Promise<string>,
): Promise<number> {
  let failed = 0;
  for (const object of objects)
    try {
      say(`${plain(await work(object))}: ${done}`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      process.stderr.write(`${plain(object)}: ${error.message}\n`);
      failed++;
    }
  return failed === 0 ? 0 : 1;
}

function idOf(given: string): number {
  if (!/^[1-9]\d{0,9}$/.test(given)) throw new CliError('is no id');
  return Number(given);
}

const nameOf = (names: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(names).find(([, number]) => number === value)?.[0] ?? String(value);

/* Keys */

interface KeysGiven {
  others: string[];
  json: boolean;
  budget: number | undefined;
  days: number | undefined;
  group: string;
}

const DAY_S = 86_400;

const keyActions: Actions<KeysGiven> = {
  list: {
    about: 'the keys of the account (default)',
    objects: '',
    async run(hub, given) {
      const tokens = await all(hub, tokenApi.list);
      if (given.json) {
        sayJson(
          tokens.map(({ id, name, key, status, group, used_quota, remain_quota, unlimited_quota, accessed_time }) => ({
            id,
            name,
            hint: key,
            status: nameOf(tokenStatus, status),
            group,
            used_credits: used_quota,
            left_credits: unlimited_quota ? null : remain_quota,
            accessed_time,
          })),
        );
        return 0;
      }
      const money = await moneyOf(hub);
      const rows = tokens.map((token): Cell[] => [
        token.id,
        token.name,
        token.key,
        nameOf(tokenStatus, token.status),
        token.group,
        money(token.used_quota),
        token.unlimited_quota ? 'unlimited' : money(token.remain_quota),
        timeText(token.accessed_time),
      ]);
      say(table(['ID', 'NAME', 'KEY', 'STATUS', 'GROUP', 'USED', 'LEFT', 'LAST USE'], rows));
      return 0;
    },
  },
  create: {
    about: 'make a key and print it, once',
    objects: '<name>',
    async run(hub, { budget, days, group, json: asJson }, [name = '', ...more]) {
      if (more.length > 0) throw new CliError('One name: put it in quotes.');
      const { token, key } = await hub.call(tokenApi.create, {
        body: {
          name,
          group,
          unlimited_quota: budget === undefined,
          remain_quota: budget ?? 0,
          expired_time: days === undefined ? -1 : Math.floor(Date.now() / 1000) + days * DAY_S,
        },
      });
      if (asJson) sayJson({ id: token.id, name: token.name, key });
      else say(key);
      return 0;
    },
  },
  disable: { about: 'refuse calls with it', objects: '<id …>', run: (hub, _, ids) => setKeys(hub, ids, 'disabled') },
  enable: { about: 'allow calls again', objects: '<id …>', run: (hub, _, ids) => setKeys(hub, ids, 'enabled') },
  remove: {
    about: 'delete it; it stops at once',
    objects: '<id …>',
    run: (hub, _, ids) =>
      each(ids, 'removed', async (given) => {
        await hub.call(tokenApi.remove, { params: { id: idOf(given) } });
        return given;
      }),
  },
};

function setKeys(hub: HubClient, ids: readonly string[], status: 'enabled' | 'disabled'): Promise<number> {
  return each(ids, status, async (given) => {
    const { name } = await hub.call(tokenApi.update, {
      query: { status_only: '1' },
      body: { id: idOf(given), status: tokenStatus[status] },
    });
    return name;
  });
}

export async function keysCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli keys',
    about: 'API keys of the account of the access key.',
    others: '[action]',
    options: {
      ...hubOptions,
      budget: whole('<credits>', 'of a new key; default: the balance', undefined, 1),
      days: whole('<number>', 'after which a new key expires; default: never', undefined, 1),
      group: text('<symbol>', 'user group of a new key; default: that of the account', ''),
      json,
    },
    more: usageOf(keyActions),
  });
  return act(keyActions, connect(given), given);
}

/* Users */

interface UsersGiven {
  others: string[];
  json: boolean;
  search: string;
}

const userActions: Actions<UsersGiven> = {
  list: {
    about: 'accounts (default)',
    objects: '',
    async run(hub, { search, json: asJson }) {
      const users = await all(hub, userAdminApi.list, { keyword: search });
      if (asJson) {
        sayJson(
          users.map(({ id, username, email, group, role, status, quota, used_quota, last_call_time }) => ({
            id,
            username,
            email,
            group,
            role,
            status: nameOf(userStatus, status),
            credits: quota,
            used_credits: used_quota,
            last_call_time,
          })),
        );
        return 0;
      }
      const money = await moneyOf(hub);
      const rows = users.map((user): Cell[] => [
        user.id,
        user.username,
        user.group,
        nameOf(userStatus, user.status),
        money(user.quota),
        money(user.used_quota),
        timeText(user.last_call_time),
      ]);
      say(table(['ID', 'NAME', 'GROUP', 'STATUS', 'BALANCE', 'USED', 'LAST CALL'], rows));
      return 0;
    },
  },
  disable: {
    about: 'end its sessions, refuse its keys',
    objects: '<name …>',
    run: (hub, _, names) => setUsers(hub, names, 'disable'),
  },
  enable: { about: 'let it in again', objects: '<name …>', run: (hub, _, names) => setUsers(hub, names, 'enable') },
};

function setUsers(hub: HubClient, names: readonly string[], action: 'disable' | 'enable'): Promise<number> {
  return each(names, `${action}d`, async (username) => {
    await hub.call(userAdminApi.manage, { body: { username, action } });
    return username;
  });
}

export async function usersCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli users',
    about: 'Accounts of a hub; for administrators.',
    others: '[action]',
    options: { ...hubOptions, search: text('<text>', 'only these: start of a name, address or group', ''), json },
    more: usageOf(userActions),
  });
  return act(userActions, connect(given), given);
}

/* Channels */

interface ChannelsGiven {
  others: string[];
  json: boolean;
  model: string;
}

const stateOf = ({ status, trouble }: Channel): string =>
  status === channelStatus.enabled
    ? (trouble?.kind ?? 'enabled')
    : status === channelStatus.testDisabled
      ? 'disabled by the hub'
      : nameOf(channelStatus, status);

const channelActions: Actions<ChannelsGiven> = {
  list: {
    about: 'channels with their state (default)',
    objects: '',
    async run(hub, given) {
      const channels = await all(hub, channelApi.list);
      if (given.json) {
        sayJson(
          channels.map((channel) => ({
            id: channel.id,
            name: channel.name,
            type: channel.type,
            state: stateOf(channel),
            models: splitList(channel.models),
            groups: splitList(channel.group),
            last_error: channel.last_error,
          })),
        );
        return 0;
      }
      const rows = channels.map((channel): Cell[] => [
        channel.id,
        channel.name,
        stateOf(channel),
        channel.group,
        splitList(channel.models).length,
        channel.priority,
        channel.weight,
        channel.last_error.slice(0, 60),
      ]);
      say(table(['ID', 'NAME', 'STATE', 'GROUPS', 'MODELS', 'PRIORITY', 'WEIGHT', 'LAST ERROR'], rows));
      return 0;
    },
  },
  test: {
    about: 'one small request each; `all` tests every enabled one',
    objects: '<id or name …>',
    run: testChannels,
  },
  disable: { about: 'call it no more', objects: '<id or name …>', run: (hub, _, names) => setChannels(hub, names, 2) },
  enable: { about: 'call it again', objects: '<id or name …>', run: (hub, _, names) => setChannels(hub, names, 1) },
};

/** Finds a channel by its id or name. Throws `CliError` if there is none, or two of the name. */
function finderOf(channels: readonly Channel[]): (given: string) => Channel {
  return (given) => {
    const found = channels.filter(({ id, name }) => name === given || String(id) === given);
    const [channel, other] = found;
    if (!channel) throw new CliError(`there is no channel ${plain(given)}`);
    if (other)
      throw new CliError(`several channels are called ${plain(given)}: ${found.map(({ id }) => id).join(', ')}`);
    return channel;
  };
}

async function testChannels(hub: HubClient, given: ChannelsGiven, names: readonly string[]): Promise<number> {
  const channels = await all(hub, channelApi.list);
  const tested =
    names.join() === 'all'
      ? channels.filter(({ status }) => status === channelStatus.enabled)
      : names.map(finderOf(channels));
  const results: { id: number; name: string; ok: boolean; ms: number; model: string; error: string }[] = [];
  for (const { id, name } of tested) {
    try {
      const { ms, model } = await hub.call(channelApi.test, { params: { id }, query: { model: given.model } });
      results.push({ id, name, ok: true, ms, model, error: '' });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      results.push({ id, name, ok: false, ms: 0, model: given.model, error: error.message });
    }
  }
  if (given.json) sayJson(results);
  else {
    const rows = results.map(({ id, name, ok, ms, model, error }) => [
      id,
      name,
      ok ? 'passed' : 'failed',
      ms,
      model,
      error,
    ]);
    say(table(['ID', 'NAME', 'TEST', 'MS', 'MODEL', 'ERROR'], rows));
  }
  return results.every(({ ok }) => ok) ? 0 : 1;
}

async function setChannels(hub: HubClient, names: readonly string[], status: 1 | 2): Promise<number> {
  const find = finderOf(await all(hub, channelApi.list));
  return each(names, status === 1 ? 'enabled' : 'disabled', async (given) => {
    const { id, name } = find(given);
    await hub.call(channelApi.update, { body: { id, status } });
    return name;
  });
}

export async function channelsCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli channels',
    about: 'Channels of a hub; for administrators. A test is charged to no user.',
    others: '[action]',
    options: { ...hubOptions, model: text('<name>', 'model of a test; default: that of the channel', ''), json },
    more: `${usageOf(channelActions)}\nExit status of a test: 1 if one failed.`,
  });
  return act(channelActions, connect(given), given);
}
