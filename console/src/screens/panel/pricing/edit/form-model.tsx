import { useQuery } from '@tanstack/react-query';
import { modelNames } from '#api/model-names.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import type { PriceFormMethods } from './price-values.ts';

interface Props {
  form: PriceFormMethods;
  presetFrom: string | undefined;
}

/** The price's models, their owner, and the billing type. */
export function FormModel({ form: { control }, presetFrom }: Props) {
  const { t } = useTranslation('pricing');
  const owners = useOwners();
  const names = useQuery(modelNames).data ?? [];
  return (
    <DrawerSection title={t('modelTitle')} text={t('modelText')}>
      {presetFrom !== undefined && <Note>{t('presetFrom', { name: presetFrom })}</Note>}
      <FormChips control={control} name="models" label={t('names')} hint={t('modelsHint')} suggestions={names} />
      <div className="grid grid-cols-[1fr_auto] items-start gap-4 max-sm:grid-cols-1">
        <FormSelect
          control={control}
          name="channel_type"
          label={t('owner')}
          searchable
          options={owners.map(({ id, name, icon }) => ({
            value: id,
            label: name,
            tile: <OwnerTile name={name} icon={icon} size={20} />,
          }))}
        />
        <TypeField control={control} />
      </div>
    </DrawerSection>
  );
}

function TypeField({ control }: Pick<PriceFormMethods, 'control'>) {
  const { t } = useTranslation(['pricing', 'price']);
  const { value, change } = useFormField({ control, name: 'type', label: t('billing') });
  return (
    <div>
      <p aria-hidden className="mb-1.5 text-13 font-title">
        {t('billing')}
      </p>
      <Segmented
        label={t('billing')}
        value={value === 'times' ? 'times' : 'tokens'}
        options={[
          { value: 'tokens', label: t('price:byTokens') },
          { value: 'times', label: t('price:byCall') },
        ]}
        onChange={change}
      />
    </div>
  );
}
