import { useQuery } from '@tanstack/react-query';
import { CalendarX, Tag, TriangleAlert, Wrench } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { priceGaps, unpricedModels } from '#api/unpriced.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

interface Props {
  onAdd: (model: string) => void;
  onEdit: (model: string) => void;
}

/**
 * Models that channels serve without a price, whose calls are refused or cost the default, by number of channels. Then
 * prices of such models without a fee of a tool, whose calls are refused, or with holidays that end.
 */
export function UnpricedChip({ onAdd, onEdit }: Props) {
  const { t } = useTranslation('pricing');
  const models = useQuery(unpricedModels).data ?? [];
  const gaps = useQuery(priceGaps).data ?? [];
  if (models.length + gaps.length === 0) return null;
  const missing = ({ fees, ends }: (typeof gaps)[number]): string[] => [
    ...(fees.length > 0 ? [t('noFee', { count: fees.length })] : []),
    ...(ends === undefined ? [] : [t('holidaysEnd', { date: ends })]),
  ];
  return (
    <MenuButton
      label={models.length > 0 ? t('unpriced', { count: models.length }) : t('gaps', { count: gaps.length })}
      icon={TriangleAlert}
      iconOnly={false}
      align="start"
      entries={() => [
        ...(models.length > 0 ? [{ heading: t('setPriceOf') }] : []),
        ...models.map(({ model, channels }) => ({
          label: model,
          icon: Tag,
          note: t('onChannels', { count: channels }),
          onSelect: () => onAdd(model),
        })),
        ...(gaps.length > 0 ? [{ heading: t('fillGap') }] : []),
        ...gaps.map((gap) => ({
          label: gap.model,
          icon: gap.ends === undefined ? Wrench : CalendarX,
          note: missing(gap).join(' · '),
          onSelect: () => onEdit(gap.model),
        })),
      ]}
      className="h-7.5! rounded-full! border-warn-g! bg-warn-soft! px-3! font-normal! text-warn! max-sm:h-9! [&_.lucide]:text-warn!"
    />
  );
}
