import {
  channelPreference,
  groupTokenLimits,
  limitWait,
  modelSwitch,
  newUserGroup,
  userGroupApi,
} from '@relay-hub/contract';
import * as z from 'zod/mini';
import { all } from '../hub-client.ts';
import { type Kind, plainForm, inputOf, pick, nullable, simple } from './kind.ts';

const { symbol, keep_zero: _keep, ...groupShape } = newUserGroup.shape;
const groupFile = z.object({
  ...groupShape,
  token_limits: nullable(groupTokenLimits),
  model_switch: nullable(modelSwitch),
  limit_wait: nullable(limitWait),
  channel_preference: nullable(channelPreference),
});

export const groups: Kind = {
  name: 'groups',
  about: 'User groups by their symbol.',
  atOnce: 1,
  shape: groupFile.shape,
  read: (entry) => simple(entry, symbol, groupFile),
  async list(hub) {
    const records = await all(hub, userGroupApi.list);
    return records.map((record) => {
      const form = pick(record, Object.keys(groupFile.shape));
      return { name: record.symbol, id: record.id, form, fileForm: plainForm(form) };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored } of writes) {
      const { enable, ...fields } = desired.fields;
      if (stored) {
        const body = { ...fields, id: stored.id, set_enable: enable };
        await hub.call(userGroupApi.update, { body: inputOf(userGroupApi.update, body) });
      } else {
        const body = { ...fields, enable, symbol: name, keep_zero: true };
        await hub.call(userGroupApi.create, { body: inputOf(userGroupApi.create, body) });
      }
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(userGroupApi.remove, { params: { id } });
  },
  // New accounts are in it.
  stays: ({ name }) => name === 'default',
};
