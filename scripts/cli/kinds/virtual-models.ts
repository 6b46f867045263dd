import { newVirtualModel, virtualModelApi } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { all } from '../hub-client.ts';
import { type Kind, plainForm, inputOf, pick, simple } from './kind.ts';

const { name: virtualName, ...virtualShape } = newVirtualModel.shape;
const virtualFile = z.strictObject(virtualShape);

export const virtualModels: Kind = {
  name: 'virtual_models',
  about: 'Names that stand for a chain of models.',
  atOnce: 1,
  shape: virtualFile.shape,
  read: (entry) => simple(entry, virtualName, virtualFile),
  async list(hub) {
    const records = await all(hub, virtualModelApi.list);
    return records.map((record) => {
      const form = pick(record, Object.keys(virtualShape));
      return { name: record.name, id: record.id, form, fileForm: plainForm(form) };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored } of writes) {
      const fields = inputOf(virtualModelApi.create, { ...desired.fields, name });
      if (stored) await hub.call(virtualModelApi.update, { body: { ...fields, id: stored.id } });
      else await hub.call(virtualModelApi.create, { body: fields });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(virtualModelApi.remove, { params: { id } });
  },
};
