import { limitsNothing, noLimits, type TokenLimits } from '@relay-hub/contract';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import { EndpointBoxes } from '#domain/token/endpoint-boxes.tsx';
import { zoneNames } from '#domain/token/zone-names.ts';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { FieldRow } from '#ui/overlay/drawer-section.tsx';
import type { GroupBody, GroupValues } from './user-group-values.ts';

/** Limits that new tokens of the group's users start with; their owners can change them. */
export function DefaultsField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { t } = useTranslation(['userGroup', 'token']);
  const { field } = useController({ control, name: 'token_limits' });
  const { defaults, ...rest } = field.value ?? {};
  const limits: TokenLimits = { ...noLimits, time_zone: localTimeZone() || 'UTC', ...whole(defaults) };
  const put = (change: Partial<TokenLimits>) => {
    const next = { ...limits, ...change };
    field.onChange(limitsNothing(next) ? rest : { ...rest, defaults: next });
  };
  return (
    <>
      <CapsEditor caps={limits.caps} onChange={(caps) => put({ caps })} onBlur={field.onBlur} />
      {limits.caps.length > 0 && (
        <FieldRow>
          <Field label={t('token:resetRule')}>
            {(aria) => (
              <Select
                aria={aria}
                value={limits.reset}
                options={(['calendar', 'rolling'] as const).map((value) => ({
                  value,
                  label: t(`token:resetRules.${value}`),
                }))}
                onChange={(reset) => put({ reset })}
              />
            )}
          </Field>
          <Field label={t('token:timeZone')}>
            {(aria) => (
              <Select
                aria={aria}
                searchable
                value={limits.time_zone}
                options={zoneNames(limits.time_zone).map((value) => ({ value, label: value }))}
                onChange={(time_zone) => put({ time_zone })}
              />
            )}
          </Field>
        </FieldRow>
      )}
      <Field label={t('token:models')} optional hint={t('token:modelsHint')}>
        {(aria) => (
          <ChipsBox
            aria={aria}
            values={limits.models}
            onChange={(models) => put({ models })}
            onBlur={field.onBlur}
            placeholder={t('token:allModels')}
          />
        )}
      </Field>
      <EndpointBoxes chosen={limits.endpoints} onChange={(endpoints) => put({ endpoints })} />
      <Field label={t('token:addresses')} optional hint={t('token:addressesHint')}>
        {(aria) => (
          <ChipsBox
            aria={aria}
            values={limits.addresses}
            onChange={(addresses) => put({ addresses })}
            onBlur={field.onBlur}
            placeholder={t('token:addressesPlaceholder')}
          />
        )}
      </Field>
    </>
  );
}

type Given = NonNullable<NonNullable<GroupValues['token_limits']>['defaults']>;

/** The given members; absent ones keep their defaults. */
const whole = (given: Given | undefined): Partial<TokenLimits> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
