import { dataPolicies, type ProviderWishes, wishSorts } from '@relay-hub/contract';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { providerWords } from '#domain/token/limit-words.ts';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import type { TokenInput, TokenValues } from '../token-rules.ts';

const lists = ['only', 'ignore', 'region', 'quantizations'] as const;

/** Limits of a token on the providers of its calls, folded. */
export function ProviderSection({ control }: { control: Control<TokenInput, unknown, TokenValues> }) {
  const { t } = useTranslation('token');
  const { field } = useController({ control, name: 'limits.provider' });
  const provider = field.value ?? {};
  const put = (change: ProviderWishes) => {
    const next = Object.entries({ ...provider, ...change }).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    );
    field.onChange(next.length > 0 ? Object.fromEntries(next) : undefined);
  };
  const putPrice = (side: 'prompt' | 'completion', value: number | null) => {
    const { [side]: _, ...other } = provider.max_price ?? {};
    const next = value === null ? other : { ...other, [side]: value };
    put({ max_price: Object.keys(next).length > 0 ? next : undefined });
  };
  const words = providerWords(provider, t);
  return (
    <DrawerSection folded title={t('providersTitle')} text={words === '' ? t('providersAny') : words}>
      {lists.map((name) => (
        <Field
          key={name}
          label={t(`providerField.${name}`)}
          optional
          hint={name === 'only' ? t('providersHint') : undefined}
        >
          {(aria) => (
            <ChipsBox
              aria={aria}
              values={provider[name] ?? []}
              onChange={(values) => put({ [name]: values })}
              onBlur={field.onBlur}
            />
          )}
        </Field>
      ))}
      <FieldRow>
        <Field label={t('providerField.data_collection')}>
          {(aria) => (
            <Select
              aria={aria}
              value={provider.data_collection === 'deny' ? 'deny' : ''}
              options={dataPolicies
                .filter((value) => value !== 'allow')
                .map((value) => ({ value, label: t(value === '' ? 'dataAny' : 'dataDeny') }))}
              onChange={(value) => put({ data_collection: value === '' ? undefined : value })}
            />
          )}
        </Field>
        <Field label={t('providerField.sort')}>
          {(aria) => (
            <Select
              aria={aria}
              value={provider.sort ?? ''}
              options={(['', ...wishSorts] as const).map((value) => ({ value, label: t(`sorts.${value || 'none'}`) }))}
              onChange={(value) => put({ sort: value === '' ? undefined : value })}
            />
          )}
        </Field>
      </FieldRow>
      <FieldRow>
        {(['prompt', 'completion'] as const).map((side) => (
          <Field key={side} label={t(`providerField.${side}`)} optional>
            {(aria) => (
              <NumberBox
                aria={aria}
                inputRef={() => undefined}
                value={provider.max_price?.[side] === undefined ? null : Number(provider.max_price[side])}
                onChange={(value) => putPrice(side, value)}
                onBlur={field.onBlur}
                before="$"
              />
            )}
          </Field>
        ))}
      </FieldRow>
      <label className="flex min-h-9 items-center gap-4 max-sm:min-h-11">
        <span className="min-w-0 flex-1">{t('providerField.require')}</span>
        <Switch
          checked={provider.require_parameters === true}
          onChange={(on) => put({ require_parameters: on || undefined })}
          onBlur={field.onBlur}
        />
      </label>
    </DrawerSection>
  );
}
