import { extraKinds, extraRatio, type ExtraKind } from '@relay-hub/contract';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { AddMenu } from '#ui/overlay/add-menu.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { kindsLeft, type PriceFormMethods } from './price-values.ts';
import { unitKeys, unitOf, unitText } from '#screens/panel/pricing/pricing-search.ts';
import { RatioField } from '#screens/panel/pricing/ratio-field.tsx';

/** Ratios with their amounts; editing one updates the other. */
export function FormPrices({ form, first }: { form: PriceFormMethods; first: boolean }) {
  const { t } = useTranslation(['pricing', 'price', 'priceRule']);
  const { control, setValue } = form;
  const [key, setKey] = useState<string>('USD1M');
  const [type, input, output, extra] = useWatch({ control, name: ['type', 'input', 'output', 'extra_ratios'] });
  const byCall = type === 'times';
  const unit = unitOf(key);
  const sides = { input, output };
  const set = extraKinds.filter(({ key: name }) => typeof extra?.[name] === 'number' || isEmptied(extra?.[name]));
  const add = ({ key: name, kind }: ExtraKind) =>
    setValue(`extra_ratios.${name}`, extraRatio(kind, extra), { shouldDirty: true });
  const take = ({ key: name }: ExtraKind) => setValue(`extra_ratios.${name}`, undefined, { shouldDirty: true });
  return (
    <DrawerSection
      title={t('priceTitle')}
      text={t('priceText')}
      aside={
        <Segmented
          label={t('unit')}
          value={key}
          options={
            byCall
              ? [
                  { value: 'USD1M', label: '$' },
                  { value: 'CNY1M', label: '¥' },
                ]
              : unitKeys.map((value) => ({ value, label: unitText(unitOf(value)) }))
          }
          onChange={setKey}
        />
      }
    >
      {byCall ? (
        <RatioField
          control={control}
          name="input"
          label={t('perCall')}
          first={first}
          base={1}
          unit={{ ...unit, per: 1000 }}
          suffix={t('price:aCall')}
        />
      ) : (
        <>
          <div className="grid grid-cols-1 gap-2 max-sm:gap-3.5">
            <RatioField control={control} name="input" label={t('input')} base={1} unit={unit} first={first} />
            <RatioField control={control} name="output" label={t('output')} base={1} unit={unit} />
            {set.length > 0 && <hr className="my-1 border-dashed border-line" />}
            {set.map((kind) => (
              <RatioField
                key={kind.key}
                control={control}
                name={`extra_ratios.${kind.key}`}
                label={t(`priceRule:kinds.${kind.kind}`)}
                times={t(kind.side === 'input' ? 'timesInput' : 'timesOutput')}
                base={numberOf(sides[kind.side])}
                unit={kind.kind === 'audioSeconds' ? { ...unit, per: 1000, minute: true } : unit}
                onRemove={() => take(kind)}
              />
            ))}
          </div>
          {kindsLeft(extra).length > 0 && (
            <AddMenu
              label={t('addExtra')}
              entries={() =>
                kindsLeft(extra).map((kind) => ({
                  label: t(`priceRule:kinds.${kind.kind}`),
                  note: t('unless', { ratio: formatPlain(extraRatio(kind.kind, extra), 4) }),
                  onSelect: () => add(kind),
                }))
              }
            />
          )}
        </>
      )}
    </DrawerSection>
  );
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** A cleared field holds null; a removed one undefined. */
const isEmptied = (value: unknown): boolean => value === null;
