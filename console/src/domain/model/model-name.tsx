import { useTranslation } from '#i18n/use-translation.ts';
import { copyText } from '#ui/format/clipboard.ts';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { OwnerTile } from './owner-tile.tsx';

interface Props {
  model: string;
  /** Name of the model's owner; without it the tile shows the model's initial. */
  owner?: string | undefined;
  icon?: string | undefined;
  /** False inside another control, which would contain a button. */
  copies?: boolean | undefined;
  className?: string | undefined;
}

/** A model: owner's tile and name; a click copies the name. */
export function ModelName({ model, owner, icon, copies = true, className }: Props) {
  const { t } = useTranslation('shared');
  const look = cx('inline-flex max-w-full min-w-0 items-center gap-2', className);
  const content = (
    <>
      <OwnerTile name={owner ?? model} icon={icon} size={20} />
      <MiddleCut text={model} />
    </>
  );
  if (!copies) return <span className={look}>{content}</span>;
  return (
    <button
      type="button"
      onClick={(event) => {
        event.stopPropagation();
        void copyText(model, model);
      }}
      className={cx(look, 'touch rounded-tile text-left hover:text-accent')}
    >
      <span className="sr-only">{t('copy')} </span>
      {content}
    </button>
  );
}
