/* SPDX-License-Identifier: MIT */
/* mail_hosts.h - extracts host names from headers, texts and links. */
#ifndef CRD_MAIL_MAIL_HOSTS_H
#define CRD_MAIL_MAIL_HOSTS_H

#include "mail/mail_fields.h"

/* A host is appended in lower case and as a single word: "mail_1.example.org". `begin` is where the current message
 * begins in the field. A host that the message already has in this field is not repeated, and a field gets at most 16
 * KiB of hosts per message. */

/* Appends the hosts of all URLs in a text to the links, without "www.". */
void crd_i_mail_scan_links(crd_i_mail_fields *fields, size_t begin, crd_text text);
/* Appends the host of a URL in an HTML attribute to the links, if the URL has a host. */
void crd_i_mail_put_link(crd_i_mail_fields *fields, size_t begin, crd_text url);

/* Appends the hosts in a Received header, which may be folded. Its date is ignored. Each host is followed by the
 * domains that contain it, of at least two labels ("mail.example.org", "example.org"). IP addresses are skipped: few
 * messages share one, and the networks that they belong to are less informative than they seem. */
void crd_i_mail_put_received(crd_i_mail_fields *fields, size_t begin, crd_text value);

#endif
