import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useController, useWatch, type Control } from 'react-hook-form';
import { useSite } from '#api/site.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import { EndpointBoxes } from '#domain/token/endpoint-boxes.tsx';
import { capText, listText } from '#domain/token/limit-words.ts';
import { zoneNames } from '#domain/token/zone-names.ts';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText, FormTextarea } from '#ui/form/form-text.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { GroupField } from '../group-field.tsx';
import { MetadataField } from '../metadata-field.tsx';
import { modelsQuery, tagsQuery } from '../token-api.ts';
import type { TokenInput, TokenValues } from '../token-rules.ts';
import { ProviderSection } from './provider-section.tsx';

interface Props {
  control: Control<TokenInput, unknown, TokenValues>;
  token: Token | undefined;
  /** Without the fields that are the owner's: group, tag, note, metadata. */
  limitsOnly?: boolean | undefined;
}

/** The less common limits, folded, each with its present state in words. */
export function LimitSections({ control, token, limitsOnly = false }: Props) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const hasReplyCache = useSite()?.reply_cache === true;
  const [limits, tag] = useWatch({ control, name: ['limits', 'tag'] });
  const { caps = [], models = [], endpoints = [], addresses = [] } = limits ?? {};
  const { field } = useController({ control, name: 'limits.caps' });
  const budget = caps.findIndex(({ measure }) => measure === 'credits');
  const others = caps.filter((_, at) => at !== budget).map((cap) => capText(cap, t, money));
  const served = useQuery(modelsQuery).data;
  const names = served ? Object.keys(served) : [];
  const tags = useQuery({ ...tagsQuery, enabled: !limitsOnly }).data;
  const zones = zoneNames(limits?.time_zone);
  return (
    <>
      <DrawerSection folded title={t('moreTitle')} text={others.length > 0 ? others.join(t('comma')) : t('moreNone')}>
        <CapsEditor caps={caps} hidden={budget} onChange={field.onChange} onBlur={field.onBlur} />
        <FieldRow>
          <FormSelect
            control={control}
            name="limits.reset"
            label={t('resetRule')}
            options={(['calendar', 'rolling'] as const).map((value) => ({ value, label: t(`resetRules.${value}`) }))}
          />
          <FormSelect
            control={control}
            name="limits.time_zone"
            label={t('timeZone')}
            searchable
            options={zones.map((value) => ({ value, label: value }))}
          />
        </FieldRow>
      </DrawerSection>
      <DrawerSection
        folded
        title={t('modelsTitle')}
        text={[
          models.length > 0 ? listText(models, t) : t('allModels'),
          ...(endpoints.length > 0
            ? [
                listText(
                  endpoints.map((name) => t(`endpointNames.${name}`)),
                  t,
                ),
              ]
            : []),
        ].join(t('semicolon'))}
      >
        <FormChips
          control={control}
          name="limits.models"
          label={t('models')}
          hint={t('modelsHint')}
          placeholder={t('allModels')}
          suggestions={names}
        />
        <EndpointsField control={control} />
      </DrawerSection>
      <DrawerSection
        folded
        title={t('whereTitle')}
        text={addresses.length > 0 ? t('fromAddresses', { addresses: listText(addresses, t) }) : t('anywhere')}
      >
        <FormChips
          control={control}
          name="limits.addresses"
          label={t('addresses')}
          hint={t('addressesHint')}
          placeholder={t('addressesPlaceholder')}
        />
      </DrawerSection>
      <ProviderSection control={control} />
      {!limitsOnly && (
        <DrawerSection folded title={t('groupTitle')} text={tag ? t('tagged', { tag }) : t('untagged')}>
          <GroupField control={control} current={token?.group} />
          <FormText control={control} name="tag" label={t('tag')} optional hint={t('tagHint')} suggestions={tags} />
          <FormTextarea control={control} name="note" label={t('note')} optional rows={2} />
          <FormNumber
            control={control}
            name="response_store_hours"
            label={t('keepResponses')}
            hint={t('keepResponsesHint')}
            placeholder={t('asSite')}
            suffix={t('hours')}
            whole
            optional
          />
          {hasReplyCache && (
            <FormSwitch control={control} name="enable_cache" label={t('cacheReplies')} hint={t('cacheRepliesHint')} />
          )}
          <MetadataField control={control} />
        </DrawerSection>
      )}
    </>
  );
}

function EndpointsField({ control }: Pick<Props, 'control'>) {
  const { field } = useController({ control, name: 'limits.endpoints' });
  return <EndpointBoxes chosen={field.value ?? []} onChange={field.onChange} />;
}
