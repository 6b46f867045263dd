import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { Field } from '#ui/form/field.tsx';
import type { GroupBody, GroupValues } from './user-group-values.ts';

const lists = [
  { name: 'allow', none: 'allowAll' },
  { name: 'deny', none: 'denyNone' },
] as const;

/** Models that the group can call. */
export function ModelsField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { t } = useTranslation('userGroup');
  const { field } = useController({ control, name: 'model_switch' });
  const { allow = [], deny = [] } = field.value ?? {};
  const values = { allow, deny };
  const put = (change: Partial<typeof values>) => {
    const next = { ...values, ...change };
    field.onChange(next.allow.length + next.deny.length === 0 ? null : next);
  };
  return lists.map(({ name, none }) => (
    <Field key={name} label={t(name)} optional hint={t(`${name}Hint`)}>
      {(aria) => (
        <ChipsBox
          aria={aria}
          values={values[name]}
          onChange={(models) => put({ [name]: models })}
          onBlur={field.onBlur}
          placeholder={t(none)}
        />
      )}
    </Field>
  ));
}
