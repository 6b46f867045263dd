import { useQuery } from '@tanstack/react-query';
import { Tag, TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { unpricedModels } from '#api/unpriced.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

/**
 * Models that channels serve without a price: their calls are refused or cost the default. Sorted by number of
 * channels.
 */
export function UnpricedChip({ onChoose }: { onChoose: (model: string) => void }) {
  const { t } = useTranslation('pricing');
  const models = useQuery(unpricedModels).data ?? [];
  if (models.length === 0) return null;
  return (
    <MenuButton
      label={t('unpriced', { count: models.length })}
      icon={TriangleAlert}
      iconOnly={false}
      align="start"
      entries={() => [
        { heading: t('setPriceOf') },
        ...models.map(({ model, channels }) => ({
          label: model,
          icon: Tag,
          note: t('onChannels', { count: channels }),
          onSelect: () => onChoose(model),
        })),
      ]}
      className="h-7.5! rounded-full! border-warn-g! bg-warn-soft! px-3! font-normal! text-warn! max-sm:h-9! [&_.lucide]:text-warn!"
    />
  );
}
