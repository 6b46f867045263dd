import type { ChannelType } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import type { UseFormReturn } from 'react-hook-form';
import { DrawerSection, FieldRow } from '#shared/drawer-section.tsx';
import { FormSelect } from '#shared/form-select.tsx';
import { FormText } from '#shared/form-text.tsx';
import { OwnerTile } from '#shared/owner-tile.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { KeyField } from './key-field.tsx';

interface Props {
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>;
  types: readonly ChannelType[];
  type: ChannelType | undefined;
  /** The ends of the stored key; undefined for a new channel. */
  keyHint: string | undefined;
  several: boolean;
  onSeveral: (several: boolean) => void;
}

/** Who answers, and with which key. */
export function ConnectionSection({ form: { control }, types, type, keyHint, several, onSeveral }: Props) {
  const { t } = useTranslation('channel');
  const options = types.map(({ type: value, title, base_url }) => ({
    value,
    label: title,
    tile: <OwnerTile name={title} size={20} />,
    note: base_url === '' ? t('form.needsAddress') : undefined,
  }));
  const ownAddress = type !== undefined && type.base_url !== '';
  return (
    <DrawerSection title={t('form.connection')} text={t('form.connectionText')}>
      <FieldRow>
        <FormSelect control={control} name="type" label={t('type')} options={options} searchable />
        <FormText control={control} name="name" label={t('form.name')} maxLength={100} />
      </FieldRow>
      <FieldRow>
        <KeyField key={keyHint} control={control} hint={keyHint} several={several} onSeveral={onSeveral} />
        <FormText
          control={control}
          name="base_url"
          type="url"
          label={t('form.address')}
          optional={ownAddress}
          placeholder={type?.base_url || 'https://'}
          hint={ownAddress ? undefined : t('form.addressHint')}
        />
      </FieldRow>
    </DrawerSection>
  );
}
