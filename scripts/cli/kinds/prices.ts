import { modelPattern, priceApi, priceFees, priceInput, priceRules, extraRatios } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { type Fields, type Kind, plainForm, inputOf, simple, pick } from './kind.ts';

const { model: _model, ...termsShape } = priceInput.shape;
const priceFile = z.object({
  ...termsShape,
  extra_ratios: z._default(extraRatios, {}),
  rules: z._default(priceRules, []),
  fees: z._default(priceFees, []),
});

export const prices: Kind = {
  name: 'prices',
  about: 'Prices by model. `channel_type` is the id of the model owner.',
  atOnce: 5000,
  shape: priceFile.shape,
  read: (entry) => simple(entry, modelPattern, priceFile),
  async list(hub) {
    const records = await hub.call(priceApi.list, { query: { type: 'db' } });
    return records.map(({ model, version, ...record }) => {
      const form = { ...pick(record, ['type', 'channel_type', 'input', 'output']), ...optionalTerms(record) };
      return { name: model, id: 0, form, fileForm: plainForm(form), ...(version !== undefined && { version }) };
    });
  },
  async write(hub, writes) {
    const edits = writes.map(({ name, desired, stored }) => ({
      ...desired.fields,
      model: name,
      ...(stored?.version !== undefined && { version: stored.version }),
    }));
    const body = inputOf(priceApi.setMany, { prices: edits });
    await hub.call(priceApi.setMany, { body });
  },
  async remove(hub, gone) {
    await hub.call(priceApi.removeMany, { body: { models: gone.map(({ name }) => name) } });
  },
};

const optionalTerms = ({ extra_ratios = {}, rules = [], fees = [] }: Fields): Fields => ({ extra_ratios, rules, fees });
