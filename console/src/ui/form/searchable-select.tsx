import { Combobox as Base } from '@base-ui/react/combobox';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { landmarkOf, popover } from '#ui/overlay/overlay.ts';
import { useRepeatedEvent } from './use-repeated-event.ts';
import {
  ChosenOption,
  OptionLine,
  optionLook,
  triggerLook,
  type OpenedSelectProps,
  type SelectOption,
} from './select-option.tsx';

/** A `Select` with a search above its list, after it was opened once. */
export function SearchableSelect<V extends string | number>(props: OpenedSelectProps<V>) {
  const { aria, value, options, onChange, onBlur, placeholder, disabled = false, triggerRef, className } = props;
  const { t } = useTranslation('shared');
  const trigger = useRef<HTMLElement>(null);
  const landmark = useRef<HTMLElement>(null);
  useRepeatedEvent(trigger, props.openedBy);
  const chosen = options.find((option) => option.value === value) ?? null;
  return (
    <Base.Root<SelectOption<V>>
      items={options}
      value={chosen}
      isItemEqualToValue={(option, other) => option.value === other.value}
      filter={(option, query) => option.label.toLowerCase().includes(query.trim().toLowerCase())}
      autoHighlight
      disabled={disabled}
      onValueChange={(next) => next && onChange(next.value)}
      onOpenChange={(open, { reason }) => {
        if (open) return;
        // The search field had the focus. After a click elsewhere or Tab it has moved on already.
        if (reason !== 'outside-press' && reason !== 'focus-out') trigger.current?.focus();
        onBlur?.();
      }}
    >
      <Base.Trigger
        {...aria}
        ref={(element) => {
          trigger.current = element;
          landmark.current = landmarkOf(element);
          triggerRef?.(element);
        }}
        aria-haspopup="listbox"
        className={triggerLook(className)}
      >
        <ChosenOption option={chosen} placeholder={placeholder} />
      </Base.Trigger>
      <Base.Portal container={landmark} className="contents">
        <Base.Positioner align="start" sideOffset={6} collisionPadding={8} className="z-60">
          {/* Base UI's default role is dialog; this is a list with a search. */}
          <Base.Popup role="presentation" finalFocus={false} className={`${popover} max-w-[calc(100vw-16px)] pt-0!`}>
            {/* With its own ground up to the edge: rows scroll below it. */}
            <div className="sticky top-0 z-10 bg-inherit py-1.5">
              <Base.Input aria-label={t('findOption')} placeholder={t('findOption')} className="box text-13" />
            </div>
            <Base.Empty>
              <p className="px-2.5 py-2 text-13 text-text3">{t('noOption')}</p>
            </Base.Empty>
            <Base.List aria-label={t('choose')}>
              {(option: SelectOption<V>) => (
                <Base.Item key={option.value} value={option} disabled={option.disabled ?? false} className={optionLook}>
                  <OptionLine option={option} chosen={option.value === value} />
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
