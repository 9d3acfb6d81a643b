/* SPDX-License-Identifier: MIT */
/* mail_hosts.h - hosts in headers, texts and links. */
#ifndef CRD_MAIL_MAIL_HOSTS_H
#define CRD_MAIL_MAIL_HOSTS_H

#include "mail/mail_fields.h"

/* A host is appended in small letters, as one word: "mail_1.example.org". `begin` is where the message begins in the field.
 * What the field has already of this message is not repeated, and it gets no more than some thousand hosts. */

/* The hosts of the URLs in a text go to the links, without "www.". */
void crd_i_mail_scan_links(crd_i_mail_fields *fields, size_t begin, crd_text text);
/* That of a URL, as an attribute of HTML has it, where it has one. */
void crd_i_mail_put_link(crd_i_mail_fields *fields, size_t begin, crd_text url);

/* The hosts in a header Received, which may be folded, before its date; each with the domains that it is in, of two labels at least
 * ("mail.example.org", "example.org"). Addresses are left out: few messages share one, and their networks say less than they seem to. */
void crd_i_mail_put_received(crd_i_mail_fields *fields, size_t begin, crd_text value);

#endif
