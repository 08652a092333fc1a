/** Where a login may lead to: to pages of ours, or a link could lead a browser elsewhere. */

/** A page of ours, beside the others. */
export const ownPath = /^(states|state|runs|run|approvals|agents|audit)(\?[^#\\]*)?$/;
