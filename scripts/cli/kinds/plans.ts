import { languageCodes, perLanguage, planAdminApi, planAdminSchemas, type Plan } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { type Kind, plainForm, parsed, asJson, inputOf, pick } from './kind.ts';

const { names: planNames, ...planShape } = planAdminSchemas.create.body.shape;
const planFile = z.strictObject({ ...planShape, names: z.optional(planNames) });
const nameOfPlan = ({ names }: Pick<Plan, 'names'>): string =>
  [names.en_US, ...languageCodes.map((language) => names[language])].find((name) => name !== '') ?? '';

export const plans: Kind = {
  name: 'plans',
  about: 'Plans by their English name, or the first of zh_CN, zh_HK, ja_JP. Other terms are a new version.',
  atOnce: 1,
  shape: planFile.shape,
  read(entry) {
    const { names: given, ...fields } = parsed(planFile, entry);
    const names = given ?? { ...perLanguage(() => ''), en_US: entry.name };
    if (nameOfPlan({ names }) !== entry.name)
      entry.fail(['names'], `the plan is called ${nameOfPlan({ names })} by them`);
    const form = asJson({ ...fields, names });
    return { entry, name: entry.name, fields: form, form };
  },
  async list(hub) {
    const records = await hub.call(planAdminApi.list);
    return records.map((record) => {
      const form = { ...pick(record, ['names', ...Object.keys(planShape)]) };
      return { name: nameOfPlan(record), id: record.id, form, fileForm: plainForm(form) };
    });
  },
  async write(hub, writes) {
    for (const { desired, stored } of writes) {
      const body = inputOf(planAdminApi.create, desired.fields);
      if (stored) await hub.call(planAdminApi.update, { params: { id: stored.id }, body });
      else await hub.call(planAdminApi.create, { body });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(planAdminApi.remove, { params: { id } });
  },
};
