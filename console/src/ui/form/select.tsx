import { Select as Base } from '@base-ui/react/select';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { landmarkOf, popover } from '#ui/overlay/overlay.ts';
import { SearchableSelect } from './searchable-select.tsx';
import { ChosenOption, OptionLine, optionLook, triggerLook, type SelectProps } from './select-option.tsx';

export type { SelectOption } from './select-option.tsx';

/** A select; `searchable` adds a search above its list. */
export function Select<V extends string | number>({
  searchable,
  ...props
}: SelectProps<V> & { searchable?: boolean | undefined }) {
  return searchable ? <SearchableSelect {...props} /> : <PlainSelect {...props} />;
}

function PlainSelect<V extends string | number>(props: SelectProps<V>) {
  const { aria, value, options, onChange, onBlur, placeholder, disabled = false, triggerRef, className } = props;
  const { t } = useTranslation('shared');
  const landmark = useRef<HTMLElement>(null);
  return (
    <Base.Root<V>
      value={value}
      modal={false}
      disabled={disabled}
      onValueChange={(next) => next !== null && onChange(next)}
      onOpenChange={(open) => !open && onBlur?.()}
    >
      <Base.Trigger
        {...aria}
        ref={(element) => {
          landmark.current = landmarkOf(element);
          triggerRef?.(element);
        }}
        className={triggerLook(className)}
      >
        <ChosenOption option={options.find((option) => option.value === value)} placeholder={placeholder} />
      </Base.Trigger>
      <Base.Portal container={landmark} className="contents">
        <Base.Positioner
          align="start"
          alignItemWithTrigger={false}
          sideOffset={6}
          collisionPadding={8}
          className="z-60"
        >
          <Base.Popup aria-label={t('choose')} className={`${popover} max-w-[calc(100vw-16px)]`}>
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                label={option.label}
                disabled={option.disabled ?? false}
                className={optionLook}
              >
                <OptionLine option={option} chosen={option.value === value} />
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
