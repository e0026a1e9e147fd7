// The events that subscriptions are told of.

/** Specification, Events. */
export const EVENT_TYPES = ['new_document', 'document_delivery'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
